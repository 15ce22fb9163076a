"""What hostile clients do to HTTP/2 servers: each ends in GOAWAY or a closed connection, and disturbs nobody else."""

import json
import struct
import time

import pytest

from support import client, media
from support.http2 import (
    CONTINUATION,
    DATA,
    ENHANCE_YOUR_CALM,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    PRIORITY_UPDATE,
    PROTOCOL_ERROR,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Http2Connection,
    RawHttp2Connection,
    bare_get,
    frame,
)
from support.waiting import eventually

ROUNDS = 5_000


def streams():
    return range(1, 2 * ROUNDS, 2)


def window_update(stream, count):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", count))


def rapid_reset():
    return [bare_get(s) + frame(RST_STREAM, 0, s, struct.pack(">I", 8)) for s in streams()]


def made_you_reset():
    return [bare_get(s) + window_update(s, 0x7FFFFFFF) for s in streams()]


def wrong_content_length():
    head = b"\x83\x86\x84\x41\x01x\x0f\x0d\x019"
    return [frame(HEADERS, 4, s, head) + frame(DATA, 1, s, b"x") for s in streams()]


def continuations():
    return [frame(HEADERS, 0, 1, b"\x00\x01x\x01y")] + [frame(CONTINUATION, 0, 1, b"\x00\x01x\x01y")] * ROUNDS


ATTACKS = {
    "rapid reset": rapid_reset,
    "made you reset": made_you_reset,
    "wrong content-length": wrong_content_length,
    "continuation": continuations,
    "ping": lambda: [frame(PING, 0, 0, b"12345678")] * ROUNDS,
    "settings": lambda: [frame(SETTINGS, 0, 0)] * ROUNDS,
    "empty data": lambda: [frame(HEADERS, 4, 1, b"\x83\x86\x84\x41\x01x")] + [frame(DATA, 0, 1)] * ROUNDS,
    "windows of one byte": lambda: [window_update(0, 1)] * ROUNDS,
    "priority": lambda: [frame(PRIORITY, 0, 1, b"\x80\0\0\0\xdb")] * ROUNDS,
    "priority update": lambda: [frame(PRIORITY_UPDATE, 0, 0, b"\0\0\0\1u=1")] * ROUNDS,
    "unknown frames": lambda: [frame(0xFA, 0, 0, b"x")] * ROUNDS,
    "large settings": lambda: [frame(SETTINGS, 0, 0, b"\0\4\0\0\xff\xff" * 100)],
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=[name.replace(" ", "_") for name in ATTACKS])
def test_floods_end_their_connection_and_no_other(server, attack):
    with Http2Connection(server.address) as neighbour, RawHttp2Connection(server.address) as attacker:
        assert neighbour.get("/optimux/ping").status == 200
        attacker.send(b"".join(attack()))
        # Streams that are being reset count as open for as long as nobody has read so: then it is the limit of streams.
        assert attacker.goaway() in (ENHANCE_YOUR_CALM, PROTOCOL_ERROR)
        assert neighbour.get(client.asset(media.QUARTERS_PNG, sizes="33x0")).status == 200


def test_floods_are_counted_by_name(server):
    with RawHttp2Connection(server.address) as attacker:
        attacker.send(b"".join(rapid_reset()))
        attacker.goaway()
    eventually(
        lambda: server.metrics().value("optimux_http2_goaways_total", reason="flood_resets") >= 1, "the flood is counted"
    )


def test_reset_streams_do_not_take_the_pool_from_others(start_server):
    """Each of them asks for seconds of work and takes it back; the next one who asks is served at once."""
    server = start_server(image_workers_min=1, image_workers_max=1, image_queue=4)
    with Http2Connection(server.address) as attacker, Http2Connection(server.address) as neighbour:
        for number in range(100):
            stream = attacker.request(
                "GET", client.asset(media.PHOTO, sizes="0x0", format="jpeg", blur=50, quality=1 + number)
            )
            attacker.h2.reset_stream(stream, 8)
            attacker.flush()
        server.await_idle()
        assert neighbour.get(client.asset(media.QUARTERS_PNG, sizes="34x0")).status == 200


def test_window_stall(start_server):
    """A hundred finished answers, and a client that wants none of them."""
    server = start_server(write_stall_timeout="500ms")
    target = client.asset(media.QUARTERS_PNG, sizes="300x0", format="png")
    server.get(target)
    with Http2Connection(server.address, initial_window=0) as staller, Http2Connection(server.address) as neighbour:
        asked = [staller.request("GET", target) for _ in range(100)]
        assert neighbour.get(target).status == 200
        assert {staller.receive(stream).reset for stream in asked} == {8}
        assert neighbour.get(target).status == 200


def test_who_takes_an_answer_window_by_window_does_not_stall(start_server):
    """The connection's window is closed nearly all of the time, for three times the limit, and bytes are taken all of it."""
    server = start_server(write_stall_timeout="1s", min_send_rate="1KiB")
    with Http2Connection(server.address, opens_windows=False) as slow:
        stream = slow.request("GET", client.asset(media.PHOTO, sizes="1600x0", format="png"))
        end = time.monotonic() + 3
        while time.monotonic() < end and not slow.is_closed:
            slow.read_once()
            slow.h2.increment_flow_control_window(4096)
            slow.flush()
            time.sleep(0.05)
        assert slow.goaway is None and not slow.is_closed
        assert not slow.responses[stream].is_ended


def test_long_heads_of_answers_arrive(server):
    entries = [{"url": f"https://images.example/of/a/long/page/{number:06}.jpg"} for number in range(850)]
    with Http2Connection(server.address) as connection:
        connection.h2.decoder.max_header_list_size = 1 << 20
        answer = connection.receive(connection.request("POST", "/optimux/preload", body=json.dumps(entries).encode()))
        assert answer.status == 204 and answer.is_ended


def test_slow_preface(start_server):
    server = start_server(http2_preface_timeout="300ms", header_timeout="300ms")
    with RawHttp2Connection(server.address, preface=PREFACE[:20]) as slow:
        while slow.read_frame() is not None:
            pass
    with RawHttp2Connection(server.address, preface=PREFACE) as silent:
        assert silent.goaway() == 0


def test_settings_that_are_never_acknowledged(start_server):
    server = start_server(http2_settings_timeout="300ms")
    with RawHttp2Connection(server.address, preface=PREFACE + frame(SETTINGS, 0, 0)) as rude:
        assert rude.goaway() == 4


def test_idle_connections_are_closed(start_server):
    server = start_server(idle_timeout="300ms")
    with Http2Connection(server.address) as connection:
        assert connection.get("/health").status == 200
        connection.read_until_closed()
        assert connection.goaway == 0


def test_a_head_that_never_ends(start_server):
    server = start_server(header_timeout="300ms")
    with RawHttp2Connection(server.address) as slow:
        slow.send(frame(HEADERS, 0, 1, b"\x82"))
        assert slow.goaway() == ENHANCE_YOUR_CALM
