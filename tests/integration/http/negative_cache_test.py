"""A source that failed for a reason of its own is not tried again for a while; one that failed for another is."""

import itertools

import pytest

from support import client, media
from support.origin import Origin
from support.waiting import eventually

_fresh = itertools.count(1)


@pytest.fixture(scope="module")
def server_options():
    return {"negative_cache": "10m", "fetch_timeout": "300ms", "max_source_bytes": "1MiB"}


@pytest.fixture(scope="module")
def picture(root) -> bytes:
    return (root / media.QUARTERS_JPEG).read_bytes()


def get(server, url: str, width: int = 50) -> client.Response:
    return server.get(client.resize(url, sizes=f"{width}x0", format="webp"))


def fail_then_mend(server, origin, fault, picture: bytes) -> tuple[client.Response, client.Response, int]:
    """What is answered before and after the source was mended, and how often its origin was asked."""
    path = f"/failing-{next(_fresh)}.jpg"
    url = origin.serve(path, fault)
    before = get(server, url)
    origin.serve_bytes(path, picture)
    after = get(server, url, 51)
    return before, after, origin.hits(path)


@pytest.mark.parametrize(
    "fault, status",
    [
        (lambda exchange: exchange.answer(b"", "404 Not Found"), 404),
        (lambda exchange: exchange.answer(b"", "410 Gone"), 404),
        (lambda exchange: exchange.answer(b"<!doctype html>"), 415),
        (lambda exchange: exchange.answer(b"\xff\xd8\xff\xe0broken"), 422),
    ],
    ids=["404", "410", "page", "broken"],
)
def test_missing_and_broken_sources_are_remembered(server, origin, picture, fault, status):
    remembered = server.metrics().value("optimux_negative_cache_hits_total")
    before, after, asked = fail_then_mend(server, origin, fault, picture)
    assert (before.status, after.status, asked) == (status, status, 1)
    assert before.problem()["detail"] == after.problem()["detail"]
    assert server.metrics().value("optimux_negative_cache_hits_total") == remembered + 1


def stall(exchange):
    exchange.send_head("200 OK", {"Content-Length": "1000"})
    exchange.wait_for_client_to_leave()


@pytest.mark.parametrize(
    "fault, status",
    [
        (lambda exchange: exchange.answer(b"", "403 Forbidden"), 403),
        (lambda exchange: exchange.answer(b"", "401 Unauthorized"), 403),
        (lambda exchange: exchange.answer(b"", "500 Internal Server Error"), 502),
        (lambda exchange: exchange.answer(b"", "503 Service Unavailable"), 502),
        (lambda exchange: exchange.answer(b"", "429 Too Many Requests"), 502),
        (lambda exchange: exchange.close(), 502),
        (lambda exchange: exchange.answer(b"", "302 Found", Location="http://127.0.0.1:9/"), 403),
        (lambda exchange: exchange.answer(bytes(2 << 20)), 413),
        (stall, 504),
    ],
    ids=["403", "401", "500", "503", "429", "closed", "address", "too-large", "stalled"],
)
def test_other_failures_are_forgotten_at_once(server, origin, picture, fault, status):
    before, after, asked = fail_then_mend(server, origin, fault, picture)
    assert (before.status, after.status) == (status, 200)
    assert asked >= 2  # An answer that is none is asked for twice where the connection had been used before.


def test_origin_that_was_down_is_tried_again(start_server, picture):
    with Origin("127.0.0.2") as origin:
        url = origin.serve_bytes("/down.jpg", picture)
        port = origin.port
    server = start_server(allow_source="127.0.0.2/32", negative_cache="10m")
    assert get(server, url).status == 502
    with Origin("127.0.0.2", port) as origin:
        origin.serve_bytes("/down.jpg", picture)
        assert get(server, url).status == 200


def test_missing_file_is_there_once_it_is_there(server, root, picture):
    file = root / f"appears-{next(_fresh)}.jpg"
    target = client.asset(file.name, sizes="50x0")
    assert server.get(target).status == 404
    file.write_bytes(picture)
    assert server.get(target).status == 200


def test_parameters_that_do_not_fit_are_no_failure_of_the_source(server, origin, picture):
    url = origin.serve_bytes("/fitting.jpg", picture)
    assert server.get(client.resize(url, crop="9000,9000,10,10")).status in (400, 422)
    assert get(server, url).status == 200
    assert origin.hits("/fitting.jpg") == 1


def test_failure_is_forgotten_after_its_time(start_server, origin, picture):
    server = start_server(allow_source=f"{origin.host}/32", negative_cache="200ms")
    path = f"/mended-{next(_fresh)}.jpg"
    url = origin.url(path)
    assert get(server, url).status == 404
    origin.serve_bytes(path, picture)
    eventually(lambda: get(server, url).status == 200, "the source is tried again")


def test_by_default_a_flood_for_a_missing_picture_asks_once(start_server, origin):
    server = start_server(allow_source=f"{origin.host}/32")
    url = origin.url(f"/missing-{next(_fresh)}.jpg")
    assert {get(server, url, width).status for width in range(20, 40)} == {404}
    assert origin.hits(url.removeprefix(origin.url(""))) == 1


def test_without_a_negative_cache_each_request_asks(start_server, origin):
    server = start_server(allow_source=f"{origin.host}/32", negative_cache="0ms")
    url = origin.url(f"/missing-{next(_fresh)}.jpg")
    assert {get(server, url, width).status for width in range(20, 23)} == {404}
    assert origin.hits(url.removeprefix(origin.url(""))) == 3
