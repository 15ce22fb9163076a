"""HTTP/1.1 on the wire: what is valid is understood however it arrives, and what is not is refused without guessing."""

import pytest

from support import client, media
from support.client import encode_request
from support.picture import Picture

PING = "/optimux/ping"


def raw(server, data: bytes) -> client.Response:
    with server.connect() as connection:
        connection.send(data)
        return connection.receive()


def refused(server, data: bytes, statuses=(400,)):
    """One error answers the bytes and ends the connection; nothing behind them is taken as a request."""
    with server.connect() as connection:
        connection.send(data)
        response = connection.receive()
        assert response.status in statuses, (response.status, response.body[:300])
        assert response.header("Connection") == "close"
        response.problem()
        assert connection.at_end()


def test_connection_is_kept_alive(server):
    with server.connect() as connection:
        for _ in range(50):
            assert connection.get(PING).body.strip() == b"pong"


def test_connection_close_is_honoured(server):
    with server.connect() as connection:
        assert connection.get(PING, Connection="close").header("Connection") == "close"
        assert connection.at_end()


def test_pipelined_requests_are_answered_in_order(server):
    widths = [61, 62, 63, 64, 65, 66, 67, 68]
    targets = [
        client.asset(media.PHOTO if width % 2 else media.QUARTERS_PNG, sizes=f"{width}x0", format="png")
        for width in widths
    ]
    with server.connect() as connection:
        connection.send(b"".join(encode_request("GET", target) for target in targets))
        assert [Picture.read(connection.receive().body).width for _ in widths] == widths


def test_hundreds_of_pipelined_requests_are_all_answered(server):
    with server.connect() as connection:
        connection.send(encode_request("GET", PING) * 500)
        assert all(connection.receive().status == 200 for _ in range(500))


def test_pipelined_errors_do_not_end_the_connection(server):
    with server.connect() as connection:
        connection.send(
            encode_request("GET", "/nowhere")
            + encode_request("GET", "/optimux/assets/quarters.png?quality=0")
            + encode_request("POST", PING, None, b"body")
            + encode_request("GET", PING)
        )
        assert [connection.receive().status for _ in range(4)] == [404, 400, 405, 200]


def test_bytes_may_come_one_by_one(server):
    with server.connect() as connection:
        for byte in encode_request("GET", "/optimux/assets/quarters.png?sizes=31x0", {"Accept": "*/*"}):
            connection.send(bytes([byte]))
        assert connection.receive().status == 200


def test_chunked_request_body_is_read(server):
    chunks = b'8\r\n[{"url":\r\n' + b'A;name="value"\r\n"/a/b.png"\r\n' + b"2\r\n}]\r\n" + b"0\r\nTrailer: yes\r\n\r\n"
    with server.connect() as connection:
        connection.send(b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        assert connection.receive("POST").status == 204
        assert connection.get(PING).status == 200


def test_expect_100_continue_is_answered_before_the_body(server):
    body = b'[{"url": "/a.png", "priority": 1}]'
    head = (
        f"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    ).encode()
    with server.connect() as connection:
        connection.send(head)
        assert connection.receive_head().status == 100
        connection.send(body)
        assert connection.receive("POST").status == 204


def test_expect_with_the_body_at_once(server):
    body = b"[]"
    head = b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    with server.connect() as connection:
        connection.send(head + body)
        assert connection.receive("POST").status == 204
        assert connection.get(PING).status == 200


def test_http_1_0_is_answered_without_chunks_and_closed(server):
    with server.connect() as connection:
        connection.send(b"GET /optimux/assets/photo.jpg?sizes=700x0&format=png HTTP/1.0\r\n\r\n")
        response = connection.receive()
        assert response.status == 200
        assert response.header("Transfer-Encoding") is None
        assert Picture.read(response.body).width == 700
        assert connection.at_end()


def test_http_1_0_keep_alive(server):
    with server.connect() as connection:
        for _ in range(2):
            connection.send(b"GET /optimux/ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            response = connection.receive()
            assert response.status == 200
        assert response.header("Connection").lower() == "keep-alive"


@pytest.mark.parametrize("target", [b"http://optimux.test/optimux/ping", b"/optimux/ping?", b"/optimux/ping#fragment"])
def test_forms_of_the_target(server, target):
    response = raw(server, b"GET " + target + b" HTTP/1.1\r\nHost: optimux.test\r\n\r\n")
    assert response.status == (400 if b"#" in target else 200)


def test_names_of_fields_are_the_same_in_any_case(server):
    response = raw(server, b"GET /optimux/ping HTTP/1.1\r\nhOsT: a\r\ncOnNeCtIoN: CLOSE\r\n\r\n")
    assert response.status == 200
    assert response.header("Connection") == "close"


def test_empty_line_before_a_request_is_passed_over(server):
    assert raw(server, b"\r\n" + encode_request("GET", PING)).status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1 \r\n\r\n",
        b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        b" GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\nHost: a\n\n",
        b"GET / HTTP/1.1\r\nHost: a\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        b"G\xffT / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.2345\r\nHost: a\r\n\r\n",
        b"GET / HTTQ/1.1\r\nHost: a\r\n\r\n",
        b"GET relative HTTP/1.1\r\nHost: a\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40) + b"\r\n\r\n",
        b"\xff" * 100 + b"\r\n\r\n",
    ],
    ids=repr,
)
def test_malformed_request_is_refused(server, data):
    refused(server, data + encode_request("GET", PING))


@pytest.mark.parametrize("version", [b"HTTP/2.0", b"HTTP/0.9", b"HTTP/3.0"])
def test_other_versions_are_refused(server, version):
    refused(server, b"GET / " + version + b"\r\nHost: a\r\n\r\n", (400, 505))


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Content-Length: 5\r\nContent-Length: 5\r\n",
        b"Content-Length: 5, 5\r\n",
        b"Content-Length: +5\r\n",
        b"Content-Length: -5\r\n",
        b"Content-Length: 0x5\r\n",
        b"Content-Length: 5 5\r\n",
        b"Content-Length: \r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"Content-Length : 5\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: identity\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
        b'Transfer-Encoding: "chunked"\r\n',
        b"Transfer-Encoding:\r\n chunked\r\n",
        b"X: y\rTransfer-Encoding: chunked\r\n",
    ],
    ids=repr,
)
def test_smuggling_by_length_is_refused_and_nothing_behind_it_is_answered(server, fields):
    refused(
        server, b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n0\r\n\r\n" + SMUGGLED, (400, 413, 501)
    )


@pytest.mark.parametrize(
    "chunks",
    [
        b"z\r\nabc\r\n0\r\n\r\n",
        b"-1\r\n\r\n0\r\n\r\n",
        b"2\r\nabc\r\n0\r\n\r\n",
        b"3\nabc\n0\n\n",
        b"3 \r\nabc\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"ffffffffffffffffff\r\nabc\r\n",
        b"\r\nabc\r\n",
        b"3\r\nabc0\r\n\r\n",
        b"3;\0\r\nabc\r\n0\r\n\r\n",
    ],
    ids=repr,
)
def test_malformed_chunks_are_refused(server, chunks):
    refused(
        server,
        b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + SMUGGLED,
        (400, 413),
    )


def test_body_of_a_get_is_no_request(server):
    with server.connect() as connection:
        connection.send(
            b"GET /optimux/ping HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED
        )
        assert connection.receive().status == 200
        assert connection.get("/health").status == 200


def test_too_long_a_target_is_414(server):
    assert server.get("/optimux/assets/" + "a" * 8000).status == 404
    refused(server, encode_request("GET", "/" + "a" * 9000), (414,))
    refused(server, b"GET /" + b"a" * 200_000, (414,))


def test_too_large_a_head_is_431(server):
    assert server.get(PING, X_Large="a" * 20_000).status == 200
    refused(server, encode_request("GET", PING, {"X-Large": "a" * 40_000}), (431,))
    refused(server, encode_request("GET", PING, {f"X-{index}": "a" for index in range(200)}), (431,))
    refused(server, b"GET /optimux/ping HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 200_000, (431,))


def test_too_large_a_body_is_413(server):
    refused(server, b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", (413,))
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    refused(
        server, b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 17, (413,)
    )


def test_expect_of_too_large_a_body_is_refused_without_100(server):
    with server.connect() as connection:
        connection.send(
            b"POST /optimux/preload HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n"
        )
        assert connection.receive_head().status in (413, 417)


def test_client_that_ends_in_the_middle_of_a_request_does_no_harm(server):
    whole = encode_request("POST", "/optimux/preload", None, b"[]")
    for end in range(0, len(whole), 7):
        with server.connect() as connection:
            connection.send(whole[:end])
        with server.connect() as connection:
            connection.send(whole[:end])
            connection.reset()
