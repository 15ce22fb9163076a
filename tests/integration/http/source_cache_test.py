"""A source that was fetched is kept: ten sizes fetch it once, and its origin is asked no more than it wants to be."""

import itertools
import urllib.parse

import pytest

from support import client, media
from support.picture import Picture
from support.waiting import eventually

_fresh = itertools.count(1)

LONG_AGO = "Sun, 06 Nov 1994 08:49:37 GMT"


@pytest.fixture(scope="module")
def server_options():
    return {"negative_cache": "0ms"}


@pytest.fixture(scope="module")
def picture(root) -> bytes:
    return (root / media.QUARTERS_JPEG).read_bytes()


@pytest.fixture(scope="module")
def other_picture(root) -> bytes:
    return (root / media.DISC).read_bytes()


class Validated:
    """A source whose origin knows validators and answers 304 to those who have what there is."""

    def __init__(self, origin, body: bytes, **headers: str):
        self.path = f"/validated-{next(_fresh)}.jpg"
        self.body, self.tag, self.headers = body, '"1"', headers
        self.sent, self.confirmed, self.asked = 0, 0, []
        self.url = origin.serve(self.path, self._answer)

    def replace(self, body: bytes):
        self.body, self.tag = body, f'"{int(self.tag.strip(chr(34))) + 1}"'

    def _answer(self, exchange):
        self.asked.append((exchange.headers.get("if-none-match"), exchange.headers.get("if-modified-since")))
        if exchange.headers.get("if-none-match") == self.tag:
            self.confirmed += 1
            exchange.send_head("304 Not Modified", {"ETag": self.tag, **self._fields()})
        else:
            self.sent += 1
            exchange.answer(self.body, ETag=self.tag, **self.headers)

    def _fields(self) -> dict:
        return {name.replace("_", "-"): value for name, value in self.headers.items()}


def sizes_of(server, url: str, widths) -> list[client.Response]:
    return [server.get(client.resize(url, sizes=f"{width}x0", format="png")) for width in widths]


def cached_below(origin, folder) -> dict:
    """Options of a server that keeps on disk whatever it may, however full that is."""
    return {"allow_source": f"{origin.host}/32", "cache_dir": folder / "cache", "disk_cache_min_free": "0B"}


def counts(server, *names: str) -> list[int]:
    metrics = server.metrics()
    return [int(metrics.value(f"optimux_source_cache_{name}")) for name in names]


def test_ten_sizes_one_after_another_fetch_once(server, origin, picture):
    url = origin.serve_bytes("/ten.jpg", picture)
    hits, misses = counts(server, "hits_total", "misses_total")
    answers = sizes_of(server, url, range(100, 110))
    assert [Picture.read(answer.body).width for answer in answers] == list(range(100, 110))
    assert origin.hits("/ten.jpg") == 1
    assert counts(server, "hits_total", "misses_total") == [hits + 9, misses + 1]


def test_description_and_rendition_share_the_source(server, origin, picture):
    url = origin.serve_bytes("/described.jpg", picture)
    assert server.get("/info?" + client.query({"image_url": url})).json()["width"] == 400
    assert sizes_of(server, url, [90])[0].status == 200
    assert origin.hits("/described.jpg") == 1


def test_source_that_its_origin_wants_asked_for_each_time_is_confirmed_and_not_sent_again(server, origin, picture):
    source = Validated(origin, picture, Cache_Control="no-cache", Last_Modified=LONG_AGO)
    (revalidated,) = counts(server, "revalidated_total")
    answers = sizes_of(server, source.url, range(100, 105))
    assert [answer.status for answer in answers] == [200] * 5
    assert (source.sent, source.confirmed) == (1, 4)
    assert source.asked == [(None, None)] + [('"1"', LONG_AGO)] * 4
    assert counts(server, "revalidated_total") == [revalidated + 4]


def test_replaced_source_is_seen_where_its_origin_wants_to_be_asked(server, origin, picture, other_picture):
    source = Validated(origin, picture, Cache_Control="max-age=0")
    (before,) = sizes_of(server, source.url, [60])
    source.replace(other_picture)
    after, again = sizes_of(server, source.url, [61, 62])
    reference = origin.serve_bytes("/reference.png", other_picture)
    assert [after.body, again.body] == [answer.body for answer in sizes_of(server, reference, [61, 62])]
    assert before.header("ETag") != after.header("ETag")
    assert (source.sent, source.confirmed) == (2, 1)


def test_source_that_its_origin_forbids_to_keep_is_fetched_each_time(server, origin, picture):
    for number, directives in enumerate(["no-store", "private", "public, NO-STORE", 'private="x"']):
        path = f"/secret-{number}.jpg"
        url = origin.serve_bytes(path, picture, Cache_Control=directives, ETag='"1"')
        assert [answer.status for answer in sizes_of(server, url, [70, 71])] == [200, 200]
        assert origin.hits(path) == 2, directives


@pytest.mark.parametrize(
    "headers, fetches",
    [
        ({}, 2),
        ({"Cache_Control": "max-age=3600"}, 1),
        ({"Cache_Control": "max-age=3600", "Age": "3601"}, 2),
        ({"Cache_Control": "s-maxage=3600, max-age=0"}, 1),
        ({"Cache_Control": "max-age=3600, s-maxage=0"}, 2),
        ({"Cache_Control": "max-age=nonsense"}, 2),
        ({"Expires": "Fri, 31 Dec 2100 23:59:59 GMT"}, 1),
        ({"Expires": LONG_AGO}, 2),
        ({"Expires": "0"}, 2),
        ({"Cache_Control": "max-age=3600", "Expires": "0"}, 1),
        ({"Cache_Control": "max-age=3600", "Vary": "*"}, 2),
    ],
    ids=str,
)
def test_origin_says_how_long_its_source_may_be_used(start_server, origin, picture, headers, fetches):
    """The server's own time is none here: whatever is not asked for again is so because the origin says it."""
    server = start_server(allow_source=f"{origin.host}/32", source_cache_time="0ms")
    path = f"/fresh-{next(_fresh)}.jpg"
    url = origin.serve_bytes(path, picture, **headers)
    assert [answer.status for answer in sizes_of(server, url, [80, 81])] == [200, 200]
    assert origin.hits(path) == fetches


def test_redirect_decides_how_long_what_it_leads_to_is_used(start_server, origin, picture, other_picture):
    server = start_server(allow_source=f"{origin.host}/32", source_cache_time="0ms")
    forever = {"Cache_Control": "max-age=31536000"}
    origin.serve_bytes("/version-1.jpg", picture, **forever)
    url = origin.redirect("/latest.jpg", origin.serve_bytes("/version-2.png", other_picture, **forever))
    origin.redirect("/latest.jpg", "/version-1.jpg")
    first = sizes_of(server, url, [50])[0]
    origin.redirect("/latest.jpg", "/version-2.png")
    assert sizes_of(server, url, [51])[0].header("ETag") != first.header("ETag")
    assert origin.hits("/version-1.jpg") == origin.hits("/version-2.png") == 1


def test_conditions_go_to_the_place_that_they_belong_to_and_nowhere_else(server, origin, picture):
    source = Validated(origin, picture, Cache_Control="no-cache")
    asked = []

    def lead_on(exchange):
        asked.append(exchange.headers.get("if-none-match"))
        exchange.answer(b"", "302 Found", Location=source.url)

    url = origin.serve("/leads-on.jpg", lead_on)
    assert [answer.status for answer in sizes_of(server, url, [40, 41])] == [200, 200]
    assert (source.sent, source.confirmed) == (1, 1)
    assert asked == [None, None]
    elsewhere = Validated(origin, picture, Cache_Control="no-cache")
    origin.redirect("/leads-on.jpg", elsewhere.url)
    assert sizes_of(server, url, [42])[0].status == 200
    assert elsewhere.asked == [(None, None)]


def test_confirmation_of_another_state_than_was_asked_about_is_not_believed(server, origin, picture, other_picture):
    def lie(exchange):
        if "if-none-match" in exchange.headers:
            exchange.send_head("304 Not Modified", {"ETag": '"other"'})
        else:
            body = picture if origin.hits("/liar.jpg") == 1 else other_picture
            exchange.answer(body, ETag=f'"{len(body)}"', Cache_Control="no-cache")

    url = origin.serve("/liar.jpg", lie)
    first, second = sizes_of(server, url, [30, 31])
    assert (first.status, second.status) == (200, 200)
    assert first.header("ETag") != second.header("ETag")
    assert origin.hits("/liar.jpg") == 3


@pytest.mark.parametrize(
    "said, status",
    [("404 Not Found", 404), ("403 Forbidden", 403), ("500 Internal Server Error", 502), ("206 Partial Content", 502)],
)
def test_stale_source_is_not_given_when_its_origin_refuses_and_is_back_when_that_is_over(
    server, origin, picture, said, status
):
    source = Validated(origin, picture, Cache_Control="no-cache")
    assert sizes_of(server, source.url, [20])[0].status == 200
    origin.serve(source.path, lambda exchange: exchange.answer(b"no", said))
    refused = sizes_of(server, source.url, [21])[0]
    assert refused.status == status
    refused.problem()
    origin.serve(source.path, source._answer)
    assert sizes_of(server, source.url, [22])[0].status == 200


def test_bytes_that_are_no_picture_are_not_kept(server, origin, picture):
    broken = {"half": picture[: len(picture) // 2], "page": b"<!doctype html><title>log in</title>"}
    for name, body in broken.items():
        url = origin.serve_bytes(f"/{name}.jpg", body, Cache_Control="max-age=3600", ETag='"1"')
        assert sizes_of(server, url, [33])[0].status in (415, 422)
        server.await_idle()  # Who made it hears of the failure a moment after who asked for it.
        origin.serve_bytes(f"/{name}.jpg", picture)
        assert sizes_of(server, url, [33])[0].status == 200


def test_local_file_is_seen_as_it_is(start_server, root, picture, other_picture):
    server = start_server(memory_cache="0MiB")
    file = root / "local.png"
    file.write_bytes(picture)
    first = server.get(client.asset(file.name, sizes="25x0", format="png"))
    server.await_idle()
    file.write_bytes(other_picture)
    second = server.get(client.asset(file.name, sizes="25x0", format="png"))
    assert first.header("ETag") != second.header("ETag")
    assert counts(server, "entries") == [0]


def test_no_more_is_kept_than_may_be(start_server, origin, root):
    photo = (root / media.PHOTO).read_bytes()
    room = 6 * len(photo)
    server = start_server(allow_source=f"{origin.host}/32", source_cache=f"{room // 1024}KiB")
    urls = [origin.serve_bytes(f"/photo-{number}.jpg", photo) for number in range(8)]
    for url in urls:
        assert sizes_of(server, url, [16])[0].status == 200
        assert counts(server, "bytes")[0] <= room
    entries, evictions = counts(server, "entries", "evictions_total")
    assert (entries, evictions) == (5, 3)
    sizes_of(server, urls[-1], [17])
    sizes_of(server, urls[0], [17])
    assert [origin.hits(f"/photo-{number}.jpg") for number in (7, 0)] == [1, 2]


def test_without_a_source_cache_each_size_fetches(start_server, origin, picture):
    server = start_server(allow_source=f"{origin.host}/32", source_cache="0MiB")
    url = origin.serve_bytes("/unkept.jpg", picture)
    assert [answer.status for answer in sizes_of(server, url, [18, 19])] == [200, 200]
    assert origin.hits("/unkept.jpg") == 2


def test_source_outlasts_the_process(start_server, origin, picture, tmp_path):
    options = cached_below(origin, tmp_path)
    source = Validated(origin, picture, Cache_Control="max-age=3600")
    server = start_server(**options)
    (first,) = sizes_of(server, source.url, [100])
    eventually(lambda: server.metrics().value("optimux_source_disk_stored_total") == 1, "it is stored")
    assert server.terminate() == 0
    server = start_server(**options)
    other, again, larger = sizes_of(server, source.url, [101, 100, 102])
    assert again.body == first.body and again.header("ETag") == first.header("ETag")
    assert (other.status, larger.status) == (200, 200)
    assert (source.sent, source.confirmed) == (1, 0)
    assert counts(server, "disk_hits_total") == [1]


def test_stale_source_on_disk_is_confirmed_after_a_restart(start_server, origin, picture, tmp_path):
    options = cached_below(origin, tmp_path)
    source = Validated(origin, picture, Cache_Control="no-cache")
    server = start_server(**options)
    sizes_of(server, source.url, [100])
    eventually(lambda: server.metrics().value("optimux_source_disk_stored_total") == 1, "it is stored")
    assert server.terminate() == 0
    server = start_server(**options)
    assert [answer.status for answer in sizes_of(server, source.url, [101, 102])] == [200, 200]
    assert (source.sent, source.confirmed) == (1, 2)


def test_damaged_source_on_disk_is_fetched_anew(start_server, origin, picture, tmp_path):
    options = cached_below(origin, tmp_path)
    source = Validated(origin, picture)
    server = start_server(**options)
    sizes_of(server, source.url, [100])
    eventually(lambda: server.metrics().value("optimux_source_disk_stored_total") == 1, "it is stored")
    assert server.terminate() == 0
    (file,) = [path for path in (tmp_path / "cache" / "sources").rglob("*") if path.is_file()]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    server = start_server(**options)
    (other,) = sizes_of(server, source.url, [101])
    assert other.status == 200
    assert server.metrics().value("optimux_source_disk_damaged_total") == 1
    assert source.sent == 2


@pytest.mark.parametrize("scope", ["source", "everything"])
def test_purge_forgets_sources_in_memory_and_on_disk_and_failures(start_server, origin, picture, tmp_path, scope):
    server = start_server(**cached_below(origin, tmp_path), negative_cache="10m")
    source = Validated(origin, picture, Cache_Control="max-age=3600")
    missing = origin.url(f"/missing-{next(_fresh)}.jpg")
    sizes_of(server, source.url, [100])
    assert sizes_of(server, missing, [100])[0].status == 404
    origin.serve_bytes(missing.removeprefix(origin.url("")), picture)
    eventually(lambda: server.metrics().value("optimux_source_disk_stored_total") == 1, "it is stored")
    for url in [source.url, missing] if scope == "source" else [None]:
        query = "" if url is None else "?" + urllib.parse.urlencode({"source": url})
        assert server.ask_admin("DELETE", "/cache" + query).status == 204
    assert [path for path in (tmp_path / "cache" / "sources").rglob("*") if path.is_file()] == []
    assert sizes_of(server, source.url, [101])[0].status == 200
    assert sizes_of(server, missing, [101])[0].status == 200
    assert (source.sent, source.confirmed) == (2, 0)


def test_rendition_is_confirmed_by_its_origin_although_the_source_is_not_kept(start_server, origin, picture, tmp_path):
    source = Validated(origin, picture, Cache_Control="max-age=60")
    options = cached_below(origin, tmp_path) | {"source_cache": "0B", "disk_source_cache": "0B", "cache_time": "0ms"}
    server = start_server(**options)
    (first,) = sizes_of(server, source.url, [20])
    server.await_idle()
    (again,) = sizes_of(server, source.url, [20])
    assert "revalidated" in again.header("Server-Timing") and again.body == first.body
    assert server.renders() == 1
    eventually(lambda: server.metrics().value("optimux_tier_stored_total", tier="disk") >= 1, "it is stored")
    assert server.terminate() == 0
    server = start_server(**options)
    (after,) = sizes_of(server, source.url, [20])
    assert "revalidated" in after.header("Server-Timing") and after.body == first.body
    assert after.header("ETag") == first.header("ETag")
    assert server.renders() == 0
    assert source.asked == [(None, None), ('"1"', None), ('"1"', None)]
    assert (source.sent, source.confirmed) == (1, 2)
    source.replace(picture + b"trailing")
    (changed,) = sizes_of(server, source.url, [20])
    assert changed.header("ETag") != first.header("ETag") and source.sent == 2
