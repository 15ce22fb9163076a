"""A slow client, a stalled origin or a client that has left hold no worker."""

import pytest

from support import client, media
from support.parallel import at_once
from support.picture import Picture
from support.waiting import Gate, eventually

CROWD = 50
# Takes seconds, all of them before the first byte of the answer.
SLOW_RENDER = {"sizes": "0x0", "format": "jpeg", "blur": 50}


@pytest.fixture(scope="module")
def server_options():
    return {"image_workers_min": 2, "image_workers_max": 2, "fetch_timeout": "60s", "request_deadline": "60s"}


def test_50_slow_clients_hold_no_worker(server):
    target = client.asset(media.PHOTO, sizes="2000x0", format="png", effort=0)
    assert len(server.get(target).body) > 8 << 20  # More than the kernel takes off the server's hands.
    slow = [server.connect(receive_buffer=4096) for _ in range(CROWD)]
    try:
        for connection in slow:
            connection.send(client.encode_request("GET", target))
        at_once(lambda connection: connection.read_some(1024), slow)
        server.await_idle()
        assert server.requests_in_flight() == CROWD
        server.assert_unharmed()
        assert server.requests_in_flight() == CROWD
    finally:
        for connection in slow:
            connection.close()
    eventually(lambda: server.requests_in_flight() == 0, "the slow clients' leaving is noticed")


def test_slow_client_of_a_cold_rendition_holds_no_worker_and_gets_it_whole(server):
    target = client.asset(media.PHOTO, sizes="1500x0", format="png")
    with server.connect(receive_buffer=4096) as slow:
        slow.send(client.encode_request("GET", target))
        assert slow.receive_head().status == 200
        server.await_idle()
        server.assert_unharmed()
    with server.connect(receive_buffer=4096) as slow:
        answer = slow.get(target)
    assert Picture.read(answer.body).width == 1500


def test_50_stalled_origins_hold_no_worker(server, origin):
    gate = Gate()

    def stall(exchange):
        gate.wait()
        exchange.close()

    connections = [server.connect() for _ in range(CROWD)]
    try:
        for index, connection in enumerate(connections):
            url = origin.serve(f"/stalled-{index}.jpg", stall)
            connection.send(client.encode_request("GET", client.resize(url, sizes="300x0")))
        gate.await_waiting(CROWD)
        pool = server.image_pool()
        assert pool["in_flight"] == pool["queue_depth"] == 0
        assert server.get(client.asset(media.QUARTERS_PNG, sizes="33x0", format="webp")).status == 200
        assert server.requests_in_flight() == CROWD
    finally:
        gate.open()
    answers = at_once(lambda connection: connection.receive(), connections)
    assert {answer.status for answer in answers} == {502}
    for connection in connections:
        connection.close()


def test_origin_that_trickles_holds_no_worker(server, origin, root):
    gate, data = Gate(), (root / media.QUARTERS_JPEG).read_bytes()

    def trickle(exchange):
        exchange.send_head("200 OK", {"Content-Length": str(len(data))})
        exchange.send(data[:100])
        gate.wait()
        for start in range(100, len(data), 1000):
            exchange.send(data[start : start + 1000])

    with server.connect() as connection:
        connection.send(
            client.encode_request("GET", client.resize(origin.serve("/trickle.jpg", trickle), sizes="200x0"))
        )
        gate.await_waiting(1)
        assert server.image_pool()["in_flight"] == 0
        assert server.get(client.asset(media.QUARTERS_PNG, sizes="34x0", format="webp")).status == 200
        gate.open()
        assert Picture.read(connection.receive().body).width == 200


def test_50_clients_that_leave_in_the_middle_of_a_render_leave_nothing_behind(server):
    for round_number in range(CROWD):
        with server.connect() as connection:
            target = client.asset(media.PHOTO, quality=1 + round_number, **SLOW_RENDER)
            connection.send(client.encode_request("GET", target))
            eventually(lambda: server.image_pool()["in_flight"] > 0, "the render has begun")
            connection.reset()
        server.await_idle()
    eventually(lambda: server.requests_in_flight() == 0, "no reader is left")
