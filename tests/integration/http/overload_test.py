"""More work than there is room for: refused at once and politely, and nothing is lost afterwards."""

import contextlib
import itertools

import pytest

from support import client, media
from support.waiting import eventually

# Takes seconds, all of them before the first byte of the answer, and can be stopped at any time.
SLOW_RENDER = {"sizes": "0x0", "format": "jpeg", "blur": 50}
_fresh = itertools.count(1)


def slow_request() -> bytes:
    return client.encode_request("GET", client.asset(media.PHOTO, quality=next(_fresh), **SLOW_RENDER))


@pytest.fixture
def server(start_server):
    return start_server(image_workers_min=1, image_workers_max=1, image_queue=1, request_deadline="60s")


@contextlib.contextmanager
def crowd(server):
    """One render runs, one waits in the only place of the queue."""
    server.await_idle()
    with server.connect() as running, server.connect() as waiting:
        running.send(slow_request())
        eventually(lambda: server.image_pool()["in_flight"] == 1, "the first render runs")
        waiting.send(slow_request())
        eventually(lambda: server.image_pool()["queue_depth"] == 1, "the second one waits")
        yield
    server.await_idle()


@pytest.fixture
def crowded(server):
    with crowd(server):
        yield server


def test_refused_with_503_retry_after_and_a_problem(crowded):
    response = crowded.get(client.asset(media.QUARTERS_PNG, sizes="50x0"))
    print(f"refused after {response.seconds * 1000:.1f} ms")
    assert response.status == 503
    assert response.problem()["title"]
    assert 1 <= int(response.header("Retry-After")) <= 3600
    assert response.header("Cache-Control") == "no-store"


def test_connection_stays_usable_after_a_refusal(crowded):
    with crowded.connect() as connection:
        for _ in range(5):
            assert connection.get(client.asset(media.QUARTERS_PNG, sizes="50x0")).status == 503
        assert connection.get("/health").status == 200


@pytest.mark.parametrize("target", ["/health", "/ready", "/optimux/ping"])
def test_health_never_queues(crowded, target):
    response = crowded.get(target)
    print(f"{target} after {response.seconds * 1000:.1f} ms")
    assert response.status == 200


def test_metrics_never_queue_and_count_the_refused(crowded):
    before = crowded.image_pool()["jobs"]["refused"]
    for _ in range(3):
        assert crowded.get(client.asset(media.QUARTERS_PNG, sizes="50x0")).status == 503
    assert crowded.image_pool()["jobs"]["refused"] == before + 3


def test_cached_renditions_are_served_under_overload(server):
    target = client.asset(media.QUARTERS_PNG, sizes="51x0")
    assert server.get(target).status == 200
    with crowd(server):
        assert server.get(target).status == 200


def test_what_was_accepted_is_answered_after_the_storm(server):
    # Quick enough to be finished, and more of them than there is room for.
    connections = [server.connect() for _ in range(40)]
    for width, connection in enumerate(connections):
        target = client.asset(media.PHOTO, sizes=f"{300 + width}x0", format="webp")
        connection.send(client.encode_request("GET", target))
    answers = [connection.receive() for connection in connections]
    statuses = [answer.status for answer in answers]
    assert set(statuses) <= {200, 503}, statuses
    assert statuses.count(200) >= 1, statuses
    server.await_idle()
    jobs = server.image_pool()["jobs"]
    assert jobs["done"] == statuses.count(200)
    assert jobs["refused"] == statuses.count(503)
    for connection in connections:
        connection.close()


def test_render_that_would_outlast_the_deadline_is_ended_by_it(start_server):
    server = start_server(image_workers_min=1, image_workers_max=1, request_deadline="500ms")
    response = server.get(client.asset(media.PHOTO, quality=90, **SLOW_RENDER))
    print(f"{response.status} after {response.seconds * 1000:.0f} ms")
    assert response.status == 504
    response.problem()
    server.await_idle()


def test_too_many_connections_are_refused_or_the_idle_ones_closed(start_server):
    server = start_server(max_connections=10)
    idle = [server.connect() for _ in range(10)]
    for connection in idle:
        assert connection.get("/health").status == 200
    with server.connect() as another:
        assert another.get("/health").status == 200
    eventually(lambda: any(closed(connection) for connection in idle), "an idle connection made room")
    for connection in idle:
        connection.close()


def closed(connection) -> bool:
    connection.socket.settimeout(0.01)
    try:
        return connection.at_end()
    except TimeoutError:
        return False
