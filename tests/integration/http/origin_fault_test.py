"""Origins that fail, lie, loop or stall: an error of the table, nothing cached, and everybody else unaffected."""

import contextlib
import gzip
import itertools
import threading

import pytest

from support import client, media
from support.origin import Origin
from support.parallel import at_once
from support.waiting import Gate, PATIENCE

MEBIBYTE = 1 << 20
_fresh = itertools.count(1)


@pytest.fixture(scope="module")
def server_options():
    return {
        "allow_source": "127.0.0.2/31",
        "max_source_bytes": "1MiB",
        "fetch_timeout": "1500ms",
        "fetch_connect_timeout": "500ms",
        "max_redirects": 5,
        "negative_cache": "0ms",
    }


@pytest.fixture(scope="module")
def picture(root) -> bytes:
    return (root / media.QUARTERS_JPEG).read_bytes()


def get(server, url: str) -> client.Response:
    return server.get(client.resize(url, sizes="100x0", format="webp"))


@pytest.mark.parametrize(
    "said, answered",
    [
        ("403 Forbidden", {403, 404, 502}),
        ("404 Not Found", {404}),
        ("410 Gone", {404}),
        ("401 Unauthorized", {403, 404, 502}),
        ("429 Too Many Requests", {502, 503}),
        ("500 Internal Server Error", {502}),
        ("503 Service Unavailable", {502}),
        ("204 No Content", {415, 422, 502}),
        ("206 Partial Content", {502}),
        ("304 Not Modified", {502}),
        ("999 Odd", {502}),
    ],
)
def test_status_of_the_origin(server, origin, said, answered):
    path = f"/status-{said[:3]}.jpg"
    url = origin.serve(
        path, lambda exchange: exchange.answer(b"" if said[:3] in ("204", "304") else b"no picture", said)
    )
    response = get(server, url)
    assert response.status in answered, response.body
    response.problem()


def test_errors_of_the_origin_tell_caches_how_long_they_last(server, origin):
    """What is to be tried again is kept by nobody; what is lasting for a minute."""
    for said, kept in [("403 Forbidden", False), ("404 Not Found", True), ("410 Gone", True)] + [
        (status, False) for status in ("429 Too Many", "500 Internal Server Error", "503 Service Unavailable")
    ]:
        url = origin.serve(f"/kept-{said[:3]}.jpg", lambda exchange, said=said: exchange.answer(b"", said))
        field = get(server, url).header("Cache-Control")
        assert ("max-age=60" in field) if kept else (field == "no-store"), (said, field)


def test_error_of_the_origin_is_not_cached(server, origin, picture):
    url = origin.serve("/recovers.jpg", lambda exchange: exchange.answer(b"", "500 Internal Server Error"))
    response = get(server, url)
    assert response.status == 502
    assert response.header("Cache-Control") == "no-store"
    origin.serve_bytes("/recovers.jpg", picture)
    assert get(server, url).status == 200


def test_redirect_to_itself_ends_at_once(server, origin):
    url = origin.redirect("/self", "/self")
    response = get(server, url)
    assert response.status in (404, 502)
    response.problem()
    assert origin.hits("/self") <= 6


def test_loop_over_two_servers_ends_when_it_closes(start_server, origin):
    """An origin that sends whoever asks on to the other server, which asks it in turn."""
    servers = [start_server(allow_source=["127.0.0.1/32", f"{origin.host}/32"]) for _ in range(2)]

    def send_on(exchange):
        host, port = servers[origin.hits("/to-and-fro") % 2].address
        exchange.answer(status="302 Found", Location=f"http://{host}:{port}" + client.resize(url, sizes="9x9"))

    url = origin.serve("/to-and-fro", send_on)
    assert get(servers[0], url).status == 502
    assert origin.hits("/to-and-fro") <= 3


def test_loop_over_two_servers_ends_when_each_is_asked_by_a_client_too(start_server, origin):
    """Each is fetching for its own client already when the other one asks for the same: neither may wait for that."""
    slow = {"fetch_timeout": "10m", "request_deadline": "10m"}
    servers = [start_server(allow_source=["127.0.0.1/32", f"{origin.host}/32"], **slow) for _ in range(2)]
    both_fetch = threading.Barrier(2, timeout=PATIENCE)
    urls = [origin.url(path) for path in ("/round-0", "/round-1")]

    def send_to(other):
        def script(exchange):
            if origin.hits(f"/round-{1 - other}") == 1:
                both_fetch.wait()
            host, port = servers[other].address
            exchange.answer(status="302 Found", Location=f"http://{host}:{port}" + client.resize(urls[other], sizes="9x9"))

        return script

    for other in (1, 0):
        origin.serve(f"/round-{1 - other}", send_to(other))
    responses = at_once(lambda i: servers[i].get(client.resize(urls[i], sizes="9x9")), range(2))
    assert [response.status for response in responses] == [502, 502], [response.body for response in responses]
    assert origin.hits("/round-0") + origin.hits("/round-1") <= 6


def test_redirect_loop_of_two_ends(server, origin):
    origin.redirect("/loop-b", "/loop-a")
    response = get(server, origin.redirect("/loop-a", "/loop-b"))
    assert response.status in (404, 502)
    assert origin.hits("/loop-a") + origin.hits("/loop-b") <= 10


def test_five_redirects_are_followed_and_six_are_not(server, origin, picture):
    origin.serve_bytes("/hop-0", picture)
    for hop in range(1, 7):
        origin.redirect(f"/hop-{hop}", f"/hop-{hop - 1}")
    assert get(server, origin.url("/hop-5")).status == 200
    assert get(server, origin.url("/hop-6")).status == 502


def test_endless_body_is_cut_at_the_limit(server, origin):
    sent = []

    def endless(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Connection": "close"})
        try:
            while sum(sent) < 64 * MEBIBYTE:
                exchange.send(b"\xff\xd8\xff" * 20_000)
                sent.append(60_000)
        except OSError:
            pass
        exchange.close()

    response = get(server, origin.serve("/endless.jpg", endless))
    assert response.status in (413, 422, 502)
    response.problem()
    assert sum(sent) < 32 * MEBIBYTE  # The limit, and what fits into the sockets' buffers.


def test_content_length_over_the_limit_is_refused_before_the_body(server, origin):
    gate = Gate()

    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": str(50 * MEBIBYTE)})
        gate.wait()
        exchange.close()

    response = get(server, origin.serve("/long.jpg", script))
    gate.open()
    assert response.status == 413
    assert response.problem()["detail"]


def test_body_longer_than_its_content_length_does_no_harm(server, origin, picture):
    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": str(len(picture) // 2)})
        exchange.send(picture)
        exchange.close()

    assert get(server, origin.serve("/cl-short.jpg", script)).status in (422, 502)


def test_body_that_ends_early_is_an_error_of_the_origin(server, origin, picture):
    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": str(len(picture) + 1000)})
        exchange.send(picture)
        exchange.close()

    response = get(server, origin.serve("/cl-long.jpg", script))
    assert response.status == 502
    response.problem()


def test_chunked_body_that_ends_early_is_an_error_of_the_origin(server, origin, picture):
    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Transfer-Encoding": "chunked"})
        exchange.send(f"{len(picture):x}\r\n".encode() + picture + b"\r\n")
        exchange.close()

    assert get(server, origin.serve("/chunks-short.jpg", script)).status == 502


def test_chunked_body_is_read(server, origin, picture):
    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Transfer-Encoding": "chunked"})
        for start in range(0, len(picture), 1000):
            part = picture[start : start + 1000]
            exchange.send(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        exchange.send(b"0\r\n\r\n")

    assert get(server, origin.serve("/chunks.jpg", script)).status == 200


def test_gzip_bomb_does_not_unfold(server, origin):
    bomb = gzip.compress(bytes(64 * MEBIBYTE))
    url = origin.serve("/bomb.jpg", lambda exchange: exchange.answer(bomb, Content_Encoding="gzip"))
    assert get(server, url).status in (413, 415, 422, 502)


def test_html_that_claims_to_be_a_jpeg_is_refused_and_not_cached(server, origin, picture):
    url = origin.serve_bytes("/html.jpg", b"<!doctype html><title>log in</title>", content_type="text/html")
    response = get(server, url)
    assert response.status == 415
    response.problem()
    origin.serve_bytes("/html.jpg", picture)
    assert get(server, url).status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\r\n\r\n",
        b"not http at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 400_000 + b"\r\n\r\n",
    ],
    ids=["nothing", "blank", "text", "length-word", "length-negative", "chunk-word", "ssh", "huge-header"],
)
def test_nonsense_from_the_origin_is_an_error_of_the_origin(server, origin, raw):
    def script(exchange):
        exchange.send(raw)
        exchange.close()

    response = get(server, origin.serve(f"/nonsense-{len(raw)}-{raw[-3:].hex()}.jpg", script))
    assert response.status in (413, 415, 422, 502), response.body
    response.problem()


def test_nobody_listens(server, origin):
    response = get(server, f"http://127.0.0.2:1/{origin.port}.jpg")
    assert response.status == 502
    response.problem()


def test_name_that_does_not_resolve(server):
    response = get(server, "http://no-such-host.invalid/a.jpg")
    assert response.status in (403, 502)
    response.problem()


@pytest.mark.parametrize("is_same", [True, False], ids=["same-origin", "another-origin"])
def test_25_stalled_fetches_time_out_and_what_is_healthy_is_unaffected(server, origin, picture, is_same):
    with contextlib.nullcontext(origin) if is_same else Origin("127.0.0.3") as healthy:
        stall_25_beside(server, origin, healthy.serve_bytes(f"/healthy-{is_same}.jpg", picture))


def stall_25_beside(server, origin, healthy_url: str):
    gate = Gate()

    def stall_after_head(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": "100000"})
        gate.wait()
        exchange.close()

    urls = [origin.serve(f"/stalls-{next(_fresh)}.jpg", stall_after_head) for _ in range(25)]
    connections = [server.connect() for _ in urls]
    for url, connection in zip(urls, connections):
        connection.send(client.encode_request("GET", client.resize(url, sizes="100x0")))
    gate.await_waiting(25)
    healthy = get(server, healthy_url)
    print(f"healthy origin beside them: {healthy.seconds * 1000:.0f} ms")
    assert healthy.status == 200
    answers = at_once(lambda connection: connection.receive(), connections)
    gate.open()
    assert [answer.status for answer in answers] == [504] * 25
    assert max(answer.seconds for answer in answers) < PATIENCE / 2
    for connection in connections:
        connection.close()
