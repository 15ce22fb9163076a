"""How long a rendition is given out, what its source is asked then, and what a purge forgets."""

import itertools
import urllib.parse

import pytest

from support import client, media
from support.waiting import eventually

_fresh = itertools.count(1)


def outcome(response) -> str:
    return response.header("Server-Timing").split(";desc=")[1].split(",")[0]


@pytest.fixture
def source(origin, root):
    """A picture at the origin; `change` makes it another one, `fail` makes the origin fail."""

    class Source:
        def __init__(self):
            self.path = f"/fresh-{next(_fresh)}.png"
            self.url = origin.serve_bytes(self.path, (root / media.QUARTERS_PNG).read_bytes())

        def target(self, **parameters) -> str:
            return client.resize(self.url, **({"sizes": "40x0", "format": "png"} | parameters))

        def change(self):
            origin.serve_bytes(self.path, (root / media.QUARTERS_JPEG).read_bytes())

        def fail(self, status: str):
            origin.serve(self.path, lambda exchange: exchange.answer(b"", status))

        def hits(self) -> int:
            return origin.hits(self.path)

    return Source()


@pytest.fixture
def start(start_server, origin, tmp_path):
    def start(**options):
        cache = {"cache_dir": tmp_path / "cache", "disk_cache_min_free": "0B"}
        # What is kept of sources and of their failures is not the matter here.
        unkept = {"source_cache_time": "0ms", "negative_cache": "0ms"}
        return start_server(**({"allow_source": f"{origin.host}/32"} | cache | unkept | options))

    return start


def purge(server, **parameters) -> int:
    query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
    return server.ask_admin("DELETE", "/cache" + query).status


def test_unchanged_source_is_not_rendered_again(start, source):
    server = start(cache_time="0ms")
    first = server.get(source.target())
    server.await_idle()
    again = server.get(source.target())
    assert outcome(again) == "revalidated"
    assert again.body == first.body and again.header("ETag") == first.header("ETag")
    assert server.renders() == 1


def test_changed_source_is_seen_after_cache_time(start, source):
    server = start(cache_time="0ms")
    first = server.get(source.target())
    server.await_idle()
    source.change()
    again = server.get(source.target())
    assert outcome(again) == "miss" and again.header("ETag") != first.header("ETag")


def test_former_name_of_cache_time_still_works(start, source):
    server = start(memory_cache_time="0ms")
    server.get(source.target())
    server.await_idle()
    source.change()
    assert outcome(server.get(source.target())) == "miss"


def test_stale_one_is_given_at_once_and_the_source_asked_behind(start, source):
    server = start(cache_time="0ms", stale_while_revalidate="1h")
    first = server.get(source.target())
    server.await_idle()
    source.change()
    again = server.get(source.target())
    assert outcome(again) == "stale" and again.body == first.body
    eventually(lambda: server.get(source.target()).body != first.body, "the new one is given")


@pytest.mark.parametrize("status", ["500 Internal Server Error", "503 Service Unavailable"])
def test_stale_one_is_given_if_the_source_fails(start, source, status):
    server = start(cache_time="0ms", stale_if_error="1h")
    first = server.get(source.target())
    server.await_idle()
    source.fail(status)
    again = server.get(source.target())
    assert (again.status, outcome(again)) == (200, "stale")
    assert again.body == first.body
    hits = source.hits()
    assert server.get(source.target()).status == 200
    assert source.hits() == hits, "the origin rests"


def test_without_leave_a_failure_is_a_failure(start, source):
    server = start(cache_time="0ms", stale_if_error="0ms")
    server.get(source.target())
    server.await_idle()
    source.fail("500 Internal Server Error")
    assert server.get(source.target()).status == 502


@pytest.mark.parametrize("status, expected", [("404 Not Found", 404), ("410 Gone", 404), ("403 Forbidden", 403)])
def test_source_that_is_gone_is_not_given_from_the_cache(start, source, status, expected):
    server = start(cache_time="0ms", stale_if_error="1h", stale_while_revalidate="0ms")
    server.get(source.target())
    server.await_idle()
    source.fail(status)
    assert server.get(source.target()).status == expected
    source.fail("500 Internal Server Error")
    assert server.get(source.target()).status == 502, "it was forgotten"


def test_purged_source_is_fetched_anew_and_others_stay(start, source):
    server = start()
    targets = [source.target(sizes=f"{width}x0") for width in (30, 40)]
    first = [server.get(target) for target in targets]
    server.get(client.asset(media.QUARTERS_PNG, sizes="30x0"))
    server.await_idle()
    source.change()
    assert purge(server, source=source.url) == 204
    for target, before in zip(targets, first):
        again = server.get(target)
        assert outcome(again) == "miss" and again.body != before.body
    assert outcome(server.get(client.asset(media.QUARTERS_PNG, sizes="30x0"))) == "hit"


def test_purged_rendition_is_made_anew_and_other_sizes_stay(start, source):
    server = start()
    small, large = source.target(sizes="30x0"), source.target(sizes="60x0")
    for target in (small, large):
        server.get(target)
    server.await_idle()
    source.change()
    assert purge(server, url=small) == 204
    assert outcome(server.get(small)) == "miss"
    assert outcome(server.get(large)) == "hit"


def test_purge_of_everything_reaches_the_disk(start, source, tmp_path):
    server = start()
    server.get(source.target())
    server.await_idle()
    assert purge(server) == 204
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert files == []
    assert outcome(server.get(source.target())) == "miss"


def test_purge_is_for_the_admin_listener_alone(start, source):
    server = start()
    assert server.request("DELETE", "/cache").status == 404
    assert purge(server, key="a") == 400
    assert purge(server, source="not a url") == 400
