"""Origins whose answers are not what they say: told by an error of the table, and no cache is the worse for it."""

import gzip
import itertools
import zlib

import pytest

from support import client, media
from support.server import memory_of
from support.waiting import PATIENCE

MEBIBYTE = 1 << 20
_fresh = itertools.count(1)


@pytest.fixture(scope="module")
def server_options():
    return {
        "max_source_bytes": "1MiB",
        "fetch_timeout": "1500ms",
        "fetch_low_speed": "1KiB",
        "fetch_low_speed_time": "1s",
        "negative_cache": "0ms",
    }


@pytest.fixture(scope="module")
def picture(root) -> bytes:
    return (root / media.QUARTERS_JPEG).read_bytes()


@pytest.fixture(scope="module")
def rendition(server_of_module, origin, picture) -> bytes:
    """What an honest origin's picture becomes."""
    return get(server_of_module, origin.serve_bytes("/honest.jpg", picture)).body


def get(server, url: str) -> client.Response:
    return server.get(client.resize(url, sizes="100x0", format="webp"))


def raw(*pieces: bytes):
    """Sends these bytes and ends the connection."""

    def script(exchange):
        for piece in pieces:
            exchange.send(piece)
        exchange.close()

    return script


def with_head(body: bytes, **fields: str):
    """A head with these fields and none else, this body, and the end of the connection."""

    def script(exchange):
        exchange.send_head("200 OK", {name.replace("_", "-"): value for name, value in fields.items()})
        exchange.send(body)
        exchange.close()

    return script


def stall_after(status_and_fields: bytes):
    def script(exchange):
        exchange.send(status_and_fields)
        exchange.wait_for_client_to_leave()

    return script


def drip(exchange):
    """A byte now and then, for as long as somebody listens."""
    exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": "100000"})
    exchange.connection.settimeout(0.1)
    try:
        while True:
            exchange.send(b"x")
            try:
                if not exchange.connection.recv(1):
                    return
            except TimeoutError:
                pass
    except OSError:
        pass


def endless(exchange):
    exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Connection": "close"})
    try:
        for _ in range(64):
            exchange.send(b"\xff\xd8\xff\xe0" * (MEBIBYTE // 4))
    except OSError:
        pass
    exchange.close()


def brotli(data: bytes) -> bytes:
    """Brotli without compression (RFC 7932): blocks of bytes as they are, and an empty last one."""
    stream = b""
    for start in range(0, len(data), 1 << 16):
        block = data[start : start + (1 << 16)]
        used = 1 if start == 0 else 0  # First of all a window of 16 bits.
        bits = (len(block) - 1) << (used + 3)  # Not the last block, and four digits of its length.
        bits |= 1 << (used + 19)  # It is not compressed.
        stream += bits.to_bytes((used + 20 + 7) // 8, "little") + block
    return stream + b"\x03"


def deflate_without_head(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


FAULTS = {
    "no-answer": (raw(), 502),
    "head-cut": (raw(b"HTTP/1.1 200 OK\r\nContent-Type: image/j"), 502),
    "head-without-end": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), 502),
    "head-stalls": (stall_after(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"), 504),
    "body-stalls": (stall_after(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\xff\xd8\xff"), 504),
    "nothing-comes": (stall_after(b""), 504),
    "drips": (drip, 504),
    "length-negative": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n\xff\xd8\xff"), 502),
    "lengths-differ": (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n\xff\xd8\xff\xe0"), 502),
    "length-and-no-body": (with_head(b"", Content_Length="1000"), 502),
    "endless": (endless, 413),
    "too-long": (with_head(b"", Content_Length=str(50 * MEBIBYTE)), 413),
    "chunk-without-end": (with_head(b"5\r\n\xff\xd8\xff", Transfer_Encoding="chunked"), 502),
    "chunk-of-words": (with_head(b"five\r\n\xff\xd8\xff\r\n", Transfer_Encoding="chunked"), 502),
    "gzip-cut": (with_head(gzip.compress(bytes(range(256)))[:-12], Content_Encoding="gzip"), 502),
    "gzip-broken": (with_head(b"\x1f\x8b\x08nonsense", Content_Encoding="gzip", Content_Length="11"), 502),
    "gzip-bomb": (lambda exchange: exchange.answer(gzip.compress(bytes(64 * MEBIBYTE)), Content_Encoding="gzip"), 413),
    "coding-unknown": (lambda exchange: exchange.answer(b"\xff\xd8\xff", Content_Encoding="rot13"), 502),
    "part": (lambda exchange: exchange.answer(b"\xff\xd8\xff", "206 Partial Content"), 502),
    "unchanged": (lambda exchange: exchange.send_head("304 Not Modified", {"ETag": '"1"'}), 502),
    "page": (lambda exchange: exchange.answer(b"<!doctype html><title>log in</title>", content_type="text/html"), 415),
    "page-as-picture": (lambda exchange: exchange.answer(b"<!doctype html><title>log in</title>"), 415),
    "nothing": (lambda exchange: exchange.answer(b""), 415),
    "redirect-nowhere": (lambda exchange: exchange.answer(b"", "302 Found"), 502),
    "redirect-nonsense": (lambda exchange: exchange.answer(b"", "302 Found", Location="http://[::1"), 502),
    "gone": (lambda exchange: exchange.answer(b"", "410 Gone"), 404),
    "forbidden": (lambda exchange: exchange.answer(b"", "403 Forbidden"), 403),
    "server-error": (lambda exchange: exchange.answer(b"", "500 Internal Server Error"), 502),
    "unavailable": (lambda exchange: exchange.answer(b"", "503 Service Unavailable", Retry_After="120"), 502),
}


@pytest.mark.parametrize("fault, status", FAULTS.values(), ids=FAULTS)
def test_fault_is_told_by_the_table_and_a_good_answer_right_afterwards_is_served(
    server, origin, picture, rendition, fault, status
):
    path = f"/fault-{next(_fresh)}.jpg"
    url = origin.serve(path, fault)
    response = get(server, url)
    assert response.status == status, response.body
    assert response.seconds < PATIENCE / 2
    assert response.problem()["status"] == status
    lasts = status in (404, 422)
    assert (response.header("Cache-Control") == "no-store") != lasts, response.header("Cache-Control")
    origin.serve_bytes(path, picture)
    mended = get(server, url)
    assert (mended.status, mended.body) == (200, rendition)


@pytest.mark.parametrize(
    "coding, encode",
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", deflate_without_head),
        ("br", brotli),
        ("gzip, deflate", lambda data: zlib.compress(gzip.compress(data))),
    ],
    ids=["gzip", "x-gzip", "deflate", "deflate-without-head", "br", "twice"],
)
def test_compression_that_nobody_asked_for_is_undone(server, origin, picture, rendition, coding, encode):
    asked = []

    def script(exchange):
        asked.append(exchange.headers.get("accept-encoding"))
        exchange.answer(encode(picture), Content_Encoding=coding)

    response = get(server, origin.serve(f"/coded-{next(_fresh)}.jpg", script))
    assert (response.status, response.body) == (200, rendition)
    assert asked == ["identity"]


def test_bombs_take_no_memory(server, origin):
    bombs = {
        "gzip": gzip.compress(bytes(256 * MEBIBYTE)),
        "gzip, gzip": gzip.compress(gzip.compress(bytes(256 * MEBIBYTE))),
    }
    get(server, origin.serve_bytes("/first-bomb.jpg", bombs["gzip"], Content_Encoding="gzip"))
    before = memory_of(server.process)
    for coding, bomb in bombs.items():
        for _ in range(3):
            url = origin.serve_bytes(f"/bomb-{next(_fresh)}.jpg", bomb, Content_Encoding=coding)
            assert get(server, url).status == 413
    assert memory_of(server.process) - before < 16 * MEBIBYTE


def test_50_megabytes_behind_a_length_of_1000_are_not_taken(server, origin):
    sent = []

    def script(exchange):
        exchange.send_head("200 OK", {"Content-Type": "image/jpeg", "Content-Length": "1000"})
        try:
            for _ in range(50):
                exchange.send(b"\xff\xd8\xff\xe0" * (MEBIBYTE // 4))
                sent.append(MEBIBYTE)
        except OSError:
            pass
        exchange.close()

    before = memory_of(server.process)
    response = get(server, origin.serve("/long-tail.jpg", script))
    assert response.status in (422, 502)
    response.problem()
    assert sum(sent) < 32 * MEBIBYTE  # What fits into the sockets' buffers.
    assert memory_of(server.process) - before < 16 * MEBIBYTE


def test_answer_that_nobody_waits_for_any_more_is_not_taken_for_the_next_one(server, origin, picture, rendition):
    """What comes behind an answer on a connection that is kept alive is nobody's answer."""
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    def script(exchange):
        exchange.answer(picture)
        exchange.send(forged)

    get(server, origin.serve(f"/forger-{next(_fresh)}.jpg", script))
    url = origin.serve_bytes(f"/victim-{next(_fresh)}.jpg", picture)
    assert get(server, url).body == rendition


def test_body_without_a_length_ends_with_its_connection(server, origin, picture, rendition):
    response = get(server, origin.serve("/until-the-end.jpg", with_head(picture, Content_Type="image/jpeg")))
    assert (response.status, response.body) == (200, rendition)


@pytest.mark.parametrize("content_type", ["text/html", "application/octet-stream", "video/mp4", "", "nonsense"])
def test_picture_is_a_picture_whatever_its_origin_calls_it(server, origin, picture, rendition, content_type):
    url = origin.serve_bytes(f"/named-{next(_fresh)}.html", picture, content_type=content_type)
    response = get(server, url)
    assert (response.status, response.body) == (200, rendition)
    assert response.header("Content-Type") == "image/webp"
