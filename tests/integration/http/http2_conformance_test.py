"""What RFC 9113 wants of a server, as a real socket shows it: how connections end, and what does not end them."""

import ssl
import struct

import pytest

from support import client, media
from support.client import Connection
from support.http2 import (
    CONTINUATION,
    DATA,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    PROTOCOL_ERROR,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Http2Connection,
    RawHttp2Connection,
    bare_get,
    frame,
)
from support.tls import make_certificate

FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, CANCEL, COMPRESSION_ERROR = 3, 5, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
OPEN = bare_get(1, END_HEADERS)  # A request whose body is still to come.
RESET = frame(RST_STREAM, 0, 1, struct.pack(">I", CANCEL))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def server_options(certificate):
    return certificate.options


def window_update(stream: int, count: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", count))


ENDS = {
    "data that opens a stream": (frame(DATA, END_STREAM, 1, b"x"), PROTOCOL_ERROR),
    "data without a stream": (frame(DATA, END_STREAM, 0, b"x"), PROTOCOL_ERROR),
    "data behind the end of its request": (bare_get(1) + frame(DATA, END_STREAM, 1, b"x"), STREAM_CLOSED),
    "headers behind the end of their request": (bare_get(1) + bare_get(1), STREAM_CLOSED),
    "continuation without headers": (bare_get(1) + frame(CONTINUATION, END_HEADERS, 1, b"\x82"), PROTOCOL_ERROR),
    "a frame between headers": (bare_get(1, END_STREAM) + frame(PING, 0, 0, b"12345678"), PROTOCOL_ERROR),
    "an even number": (bare_get(2), PROTOCOL_ERROR),
    "a number that was passed over": (bare_get(5) + bare_get(3), PROTOCOL_ERROR),
    "a reset of nothing": (RESET, PROTOCOL_ERROR),
    "a window of nothing": (window_update(1, 1), PROTOCOL_ERROR),
    "a window that grows by nothing": (window_update(0, 0), PROTOCOL_ERROR),
    "a window too large": (window_update(0, 0x7FFFFFFF), FLOW_CONTROL_ERROR),
    "an initial window too large": (frame(SETTINGS, 0, 0, b"\0\4\x80\0\0\0"), FLOW_CONTROL_ERROR),
    "frames too small": (frame(SETTINGS, 0, 0, b"\0\5\0\0\x3f\xff"), PROTOCOL_ERROR),
    "a frame too large": (OPEN + frame(DATA, END_STREAM, 1, b"x" * 16_385), FRAME_SIZE_ERROR),
    "half a setting": (frame(SETTINGS, 0, 0, b"abc"), FRAME_SIZE_ERROR),
    "a short ping": (frame(PING, 0, 0, b"short"), FRAME_SIZE_ERROR),
    "padding too long": (frame(HEADERS, 13, 1, b"\x07\x82\x86\x84\x41\x01x"), PROTOCOL_ERROR),
    "a stream that depends on itself": (frame(PRIORITY, 0, 1, b"\0\0\0\1\x0f"), PROTOCOL_ERROR),
    "a priority of nothing": (frame(PRIORITY, 0, 0, b"\0\0\0\1\x0f"), PROTOCOL_ERROR),
    "an index of nothing": (frame(HEADERS, 5, 1, b"\x82\x86\x84\x41\x01x\x80"), COMPRESSION_ERROR),
    "a table too large": (frame(HEADERS, 5, 1, b"\x3f\xe2\x1f\x82\x86\x84\x41\x01x"), COMPRESSION_ERROR),
}


@pytest.mark.parametrize("at_once", [1 << 20, 1], ids=["whole", "byte_by_byte"])
@pytest.mark.parametrize("case", ENDS.values(), ids=[name.replace(" ", "_") for name in ENDS])
def test_errors_of_the_connection_end_it(server, case, at_once):
    said, error = case
    with Http2Connection(server.address) as neighbour, RawHttp2Connection(server.address) as wrong:
        wrong.socket.setsockopt(6, 1, 1)  # TCP_NODELAY: each part is on its own.
        for position in range(0, min(len(said), 100), at_once):
            wrong.send(said[position : position + at_once])
        wrong.send(said[100:] if at_once == 1 else b"")
        assert wrong.goaway() == error  # And the connection is closed behind it.
        assert neighbour.get("/optimux/ping").status == 200


def test_frames_behind_an_answer_end_the_connection(server):
    for more in (frame(DATA, END_STREAM, 1, b"x"), bare_get(1)):
        with RawHttp2Connection(server.address) as connection:
            connection.send(bare_get(1))
            await_end_of(connection, 1)
            connection.send(more)
            assert connection.goaway() == STREAM_CLOSED


def test_frames_behind_a_reset_are_an_error_of_their_stream(server):
    for more in (frame(DATA, END_STREAM, 1, b"x"), bare_get(1)):
        with RawHttp2Connection(server.address) as connection:
            connection.send(OPEN + RESET + more + bare_get(3))
            assert await_frame(connection, RST_STREAM) == (1, struct.pack(">I", STREAM_CLOSED))
            await_end_of(connection, 3)


def test_windows_priorities_and_resets_may_come_late(server):
    with RawHttp2Connection(server.address) as connection:
        connection.send(bare_get(1))
        await_end_of(connection, 1)
        connection.send(window_update(1, 100) + frame(PRIORITY, 0, 1, b"\0\0\0\0\x0f") + RESET + bare_get(3))
        await_end_of(connection, 3)


def test_what_is_on_its_way_to_a_stream_that_the_server_resets_is_passed_over(start_server):
    """The answer comes, and with it the word that the rest of the request is not wanted; a client may have sent it."""
    server = start_server(max_body_bytes="1KiB")
    with RawHttp2Connection(server.address) as connection:
        connection.send(frame(HEADERS, END_HEADERS, 1, b"\x83\x86\x44\x10/optimux/preload\x41\x01x"))
        connection.send(frame(DATA, 0, 1, b"x" * 2_000))
        assert await_frame(connection, RST_STREAM) == (1, bytes(4))
        connection.send(frame(DATA, 0, 1, b"x" * 16_384) * 20 + frame(DATA, END_STREAM, 1))
        connection.send(bare_get(3))
        await_end_of(connection, 3)


def test_a_wrong_preface_ends_the_connection(server, certificate):
    """Where HTTP/2 was agreed on. In cleartext the same bytes are a request of HTTP/1.1 that is malformed."""
    wrong = b"INVALID CONNECTION PREFACE\r\n\r\n"
    with Connection(server.tls_address, tls=certificate.trust(protocols=["h2"])) as connection:
        connection.send(wrong)
        frames = read_all(connection)
        assert frames[3] == SETTINGS
        goaway = frames[9 + int.from_bytes(frames[:3], "big") :]
        assert (goaway[3], goaway[13:17]) == (GOAWAY, struct.pack(">I", PROTOCOL_ERROR))
    with Connection(server.address) as connection:
        connection.send(wrong)
        assert connection.receive().status == 400
        assert connection.at_end()


@pytest.mark.parametrize("cut", [1, 10, 23])
def test_half_a_preface_is_none(server, cut):
    with Connection(server.address) as connection:
        connection.send(PREFACE[:cut] + b"XXXX\r\n\r\n")
        assert connection.receive().status in (400, 505)
        assert connection.at_end()


def test_unknown_frames_settings_and_flags_mean_nothing(server):
    with RawHttp2Connection(server.address) as connection:
        connection.send(frame(0x16, 0xFF, 0, b"x") + frame(SETTINGS, 0xFE, 0, b"\xff\xff\0\0\0\1"))
        connection.send(frame(PING, 0xFE, 0, b"optimux!") + bare_get(1, 0xD5))
        assert await_frame(connection, PING) == (0, b"optimux!")
        await_end_of(connection, 1)


def test_every_answer_comes_whole_through_a_window_of_one_byte(server):
    target = client.asset(media.QUARTERS_PNG, sizes="8x0", format="png")
    size = len(server.get(target).body)
    with Http2Connection(server.address, initial_window=1, opens_windows=False) as connection:
        stream = connection.request("GET", target)
        response = connection.responses[stream]
        while not response.is_ended:
            seen = len(response.body)
            while len(response.body) == seen and not response.is_ended:
                connection.read_once()
            if not response.is_ended:
                connection.h2.increment_flow_control_window(1, stream)
                connection.flush()
        assert len(response.body) == size


def await_frame(connection: RawHttp2Connection, kind: int) -> tuple[int, bytes]:
    """Stream and payload of the next frame of this kind."""
    while (got := connection.read_frame()) is not None:
        assert got[0] != GOAWAY or kind == GOAWAY, got
        if got[0] == kind:
            return got[2], got[3]
    raise AssertionError("the connection has ended")


def await_end_of(connection: RawHttp2Connection, stream: int):
    while (got := connection.read_frame()) is not None:
        assert got[0] not in (GOAWAY, RST_STREAM) or got[2] not in (0, stream), got
        if got[0] in (HEADERS, DATA) and got[2] == stream and got[1] & END_STREAM:
            return
    raise AssertionError("the connection has ended")


def read_all(connection: Connection) -> bytes:
    data = b""
    while True:
        try:
            part = connection.read_some()
        except (ConnectionResetError, ssl.SSLError):
            return data
        if not part:
            return data
        data += part
