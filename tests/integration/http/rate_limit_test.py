"""No client has more than its share, whatever it says it is, and nobody is refused for what others do."""

import itertools

import pytest

from support import client, media

_sizes = itertools.count(20)


def ask(server, client_address: str):
    """A rendition that is in no cache yet."""
    target = client.asset(media.QUARTERS_PNG, sizes=f"{next(_sizes)}x0")
    return server.request("GET", target, {"X-Forwarded-For": client_address})


def ask_until_refused(server, client_address: str) -> tuple[int, client.Response]:
    """How many are answered before one is not, and the answer to that. A second brings back one token, so a machine that
    is slow gives more of them."""
    for answered in range(50):
        response = ask(server, client_address)
        if response.status == 429:
            return answered, response
        assert response.status == 200
    raise AssertionError("nobody is refused")


@pytest.fixture
def server(start_server):
    """Two requests at once, and one a second in the long run."""
    server = start_server(rate_limit=1, rate_burst=2, trusted_proxies=["127.0.0.1"])
    server.assert_unharmed = lambda: server.await_idle()
    return server


def test_beyond_the_rate_429_and_a_time_to_come_back(server):
    answered, refused = ask_until_refused(server, "192.0.2.1")
    assert answered >= 2
    assert 1 <= int(refused.header("Retry-After")) <= 3
    assert refused.header("Cache-Control") == "no-store"
    assert "rate_limit (1 a second)" in refused.problem()["detail"]
    assert server.metrics().value("optimux_http_requests_total", route="assets", status="429") == 1


def test_others_are_not_held_back(server):
    ask_until_refused(server, "192.0.2.2")
    for other in ("192.0.2.3", "2001:db8::1", "2001:db8:0:1::1"):
        assert ask(server, other).status == 200, other


def test_an_ipv6_network_is_one_client(server):
    answered = 0
    while answered < 50 and ask(server, f"2001:db8:1:1::{answered}").status == 200:
        answered += 1
    assert answered < 50


def test_a_client_cannot_be_somebody_else(server):
    answered = 0
    while answered < 50 and ask(server, f"10.9.8.{answered}, 192.0.2.4").status == 200:
        answered += 1
    assert answered < 50


def test_health_is_never_limited(server):
    ask_until_refused(server, "192.0.2.5")
    for target in ("/health", "/ready", "/optimux/ping"):
        for _ in range(5):
            assert server.request("GET", target, {"X-Forwarded-For": "192.0.2.5"}).status == 200


def test_hits_of_the_cache_count_a_tenth(start_server):
    server = start_server(rate_limit=1, rate_burst=5)
    server.assert_unharmed = lambda: server.await_idle()
    target = client.asset(media.QUARTERS_PNG, sizes="31x0")
    assert [server.get(target).status for _ in range(30)] == [200] * 30


def test_without_a_limit_everything_is_answered(start_server):
    server = start_server()
    target = client.asset(media.QUARTERS_PNG, sizes="32x0")
    assert [server.get(target).status for _ in range(150)] == [200] * 150
