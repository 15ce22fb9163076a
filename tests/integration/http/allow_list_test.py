"""Sources are taken only from where the lists say, on every hop, and what is refused looks all the same."""

import json

import pytest

from support import client, media
from support.waiting import eventually


@pytest.fixture(autouse=True)
def canary_stays_untouched(canary):
    before = canary.hits
    yield
    assert canary.hits == before, "somebody was sent to the canary"


@pytest.fixture
def picture(root) -> bytes:
    return (root / media.QUARTERS_PNG).read_bytes()


def ask(server, url: str, size: int = 10):
    return server.get(client.resize(url, sizes=f"{size}x0"))


def test_only_listed_prefixes_are_fetched(start_server, origin, picture):
    server = start_server(allow_source="127.0.0.2", allowed_source_prefixes=origin.url("/public"))
    inside = origin.serve_bytes("/public/a.png", picture)
    origin.serve_bytes("/public/..%2fsecret.png", picture)
    origin.serve_bytes("/publicity.png", picture)
    assert ask(server, inside).status == 200
    hits = origin.hits()
    refused = [
        origin.url("/publicity.png"),
        origin.url("/public/..%2fsecret.png"),
        origin.url("/public/../publicity.png"),
        origin.url("/secret.png"),
        origin.url("/public/a.png").replace("http:", "https:"),
        f"file:///{media.QUARTERS_PNG}",
    ]
    answers = [ask(server, url) for url in refused]
    assert [answer.status for answer in answers] == [403] * len(refused)
    problems = [answer.problem() for answer in answers]
    for problem in problems:
        del problem["request_id"]
    assert len({json.dumps(problem, sort_keys=True) for problem in problems}) == 1
    assert origin.hits() == hits
    eventually(lambda: "allowed_source_prefixes" in server.read_log(), "the log names the list")
    # What is not named by a URL is not the business of these lists.
    assert server.get(client.asset(media.QUARTERS_PNG, sizes="11x0")).status == 200


def test_only_listed_hosts_are_fetched(start_server, origin, canary, picture):
    server = start_server(allow_source="127.0.0.0/8", allowed_source_hosts=["127.0.0.2", "*.example.org"])
    assert ask(server, origin.serve_bytes("/listed.png", picture)).status == 200
    for url in (f"http://127.0.0.1:{canary.port}/", f"http://localhost:{canary.port}/", f"http://[::1]:{canary.port}/",
                f"http://127.0.0.2.nip.example:{canary.port}/", "http://example.org/a.png"):
        assert ask(server, url).status == 403, url


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:{port}/", "http://0.0.0.0:{port}/", "//localhost:{port}/a", "file:///etc/passwd",
                 "ftp://127.0.0.1:{port}/"]
)
def test_redirects_out_of_the_lists_are_not_followed(start_server, origin, canary, location):
    server = start_server(allow_source=["127.0.0.0/8", "localhost"], allowed_source_hosts="127.0.0.2")
    url = origin.redirect("/leads-out", location.format(port=canary.port))
    response = ask(server, url)
    assert response.status == 403, response.body[:300]
    assert b"root:" not in response.body and b"canary" not in response.body


def test_redirects_between_prefixes_are_followed_and_others_not(start_server, origin, picture):
    server = start_server(
        allow_source="127.0.0.2", allowed_source_prefixes=[origin.url("/links/"), origin.url("/pictures/")]
    )
    origin.serve_bytes("/pictures/b.png", picture)
    origin.serve_bytes("/private/b.png", picture)
    inside = origin.redirect("/links/in", "/pictures/b.png")
    outside = origin.redirect("/links/out", "/private/b.png")
    assert ask(server, inside).status == 200
    assert ask(server, outside).status == 403
    assert origin.hits("/private/b.png") == 0


def test_only_listed_schemes_are_taken(start_server, origin, picture):
    server = start_server(allow_source="127.0.0.2", allowed_schemes="https")
    url = origin.serve_bytes("/plain.png", picture)
    for refused in (url, f"file:///{media.QUARTERS_PNG}"):
        assert ask(server, refused).status == 403, refused
    assert server.get("/info?" + client.query({"image_url": url})).status == 403
    assert origin.hits("/plain.png") == 0
    store = start_server(allowed_schemes="file")
    assert ask(store, f"file:///{media.QUARTERS_PNG}").status == 200
    assert ask(store, url).status == 403


def test_a_listed_host_is_still_held_to_the_addresses(start_server, canary):
    server = start_server(allowed_source_hosts=["127.0.0.1", "localhost"])
    for host in ("127.0.0.1", "localhost"):
        assert ask(server, f"http://{host}:{canary.port}/").status == 403


def test_proxies_of_the_environment_see_nothing(start_server, origin, canary, picture):
    proxy = f"http://127.0.0.1:{canary.port}"
    names = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    server = start_server(
        allow_source="127.0.0.2", allowed_source_hosts="127.0.0.2", environment={name: proxy for name in names}
    )
    assert ask(server, origin.serve_bytes("/direct.png", picture)).status == 200
    # With a proxy the name would be resolved, and the address connected to, by the proxy.
    assert ask(server, "http://169.254.169.254/latest/meta-data/").status == 403
