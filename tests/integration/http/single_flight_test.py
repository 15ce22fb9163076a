"""However many ask: one fetch, one decode, one rendition, and the same answer for all."""

import base64
import itertools

import pytest

from support import client, media
from support.client import Connection
from support.parallel import at_once
from support.picture import Picture
from support.waiting import Gate, eventually

_fresh = itertools.count(1)


class GatedSource:
    """A photo whose origin answers only once the gate is open."""

    def __init__(self, origin, root):
        self.path = f"/gated-{next(_fresh)}.jpg"
        self.gate = Gate()
        data = (root / media.QUARTERS_JPEG).read_bytes()
        self.url = origin.serve(self.path, lambda exchange: (self.gate.wait(), exchange.answer(data)))


@pytest.fixture
def gated(origin, root):
    source = GatedSource(origin, root)
    yield source
    source.gate.open()


def send_all(server, target: str, count: int) -> list[Connection]:
    """Opens so many connections, with the request sent on each."""
    connections = [server.connect() for _ in range(count)]
    for connection in connections:
        connection.send(client.encode_request("GET", target))
    return connections


def test_64_identical_cold_requests_are_one_fetch_and_one_render(server, origin, gated):
    renders = server.renders()
    connections = send_all(server, client.resize(gated.url, sizes="300x0", format="webp"), 64)
    gated.gate.await_waiting(1)
    eventually(lambda: server.requests_in_flight() == 64, "64 requests wait")
    gated.gate.open()
    answers = at_once(lambda connection: connection.receive(), connections)
    assert [answer.status for answer in answers] == [200] * 64
    assert len({answer.body for answer in answers}) == 1
    assert len({answer.header("ETag") for answer in answers}) == 1
    assert origin.hits(gated.path) == 1
    assert server.renders() == renders + 1


def test_first_client_may_leave_and_the_other_63_are_served(server, origin, gated):
    renders = server.renders()
    target = client.resize(gated.url, sizes="300x0", format="webp")
    (first,) = send_all(server, target, 1)
    gated.gate.await_waiting(1)
    others = send_all(server, target, 63)
    eventually(lambda: server.requests_in_flight() == 64, "64 requests wait")
    first.reset()
    eventually(lambda: server.requests_in_flight() == 63, "the first client's leaving is noticed")
    gated.gate.open()
    answers = at_once(lambda connection: connection.receive(), others)
    assert [answer.status for answer in answers] == [200] * 63
    assert len({answer.body for answer in answers}) == 1
    assert origin.hits(gated.path) == 1
    assert server.renders() == renders + 1


def test_fetch_is_given_up_when_the_last_client_has_left(server, origin):
    left = Gate()

    def stall(exchange):
        exchange.wait_for_client_to_leave()
        left.wait()

    url = origin.serve(f"/left-{next(_fresh)}.jpg", stall)
    connections = send_all(server, client.resize(url, sizes="300x0"), 5)
    eventually(lambda: server.requests_in_flight() == 5, "5 requests wait")
    for connection in connections:
        connection.reset()
    left.await_waiting(1)
    left.open()
    eventually(lambda: server.requests_in_flight() == 0, "all have left")


def test_different_renditions_of_one_source_share_the_fetch(server, origin, gated):
    targets = [client.resize(gated.url, sizes=f"{width}x0", format="webp") for width in range(100, 110)]
    connections = [send_all(server, target, 1)[0] for target in targets]
    eventually(lambda: server.requests_in_flight() == 10, "10 requests wait")
    gated.gate.open()
    answers = at_once(lambda connection: connection.receive(), connections)
    assert [Picture.read(answer.body).width for answer in answers] == list(range(100, 110))
    assert origin.hits(gated.path) == 1


def test_all_sizes_of_a_request_come_from_one_render(server):
    renders = server.renders()
    response = server.get(
        client.asset(media.PHOTO, sizes="300x0,200x0,100x0", format="webp", encoder="json", quality=61)
    )
    pictures = [Picture.read(base64.b64decode(uri.partition(",")[2])) for uri in response.json()["data"].values()]
    assert [picture.width for picture in pictures] == [300, 200, 100]
    assert server.renders() == renders + 1


def test_preloaded_sizes_are_in_the_cache_when_the_browser_asks(server):
    first = server.get(client.asset(media.PHOTO, sizes="310x0,210x0,110x0", format="webp"))
    assert Picture.read(first.body).width == 310
    links = [link[1 : link.index(">")] for field in first.all("Link") for link in field.split(", ")]
    assert len(links) == 2
    renders = server.renders()
    widths = [Picture.read(server.get(link).body).width for link in links]
    assert widths == [210, 110]
    assert server.renders() == renders


def test_failed_source_is_fetched_anew(server, origin, root):
    path = f"/mended-{next(_fresh)}.jpg"
    url = origin.serve(path, lambda exchange: exchange.answer(b"", "503 Service Unavailable"))
    target = client.resize(url, sizes="300x0")
    assert server.get(target).status == 502
    origin.serve_bytes(path, (root / media.QUARTERS_JPEG).read_bytes())
    assert server.get(target).status == 200


EQUAL_SPELLINGS = [
    {"sizes": "123x0", "format": "jpeg", "quality": "80", "fit": "inside"},
    {"format": "jpg", "sizes": "123x"},
    {"sizes": "123", "format": "jpeg"},
    {
        "quality": "80",
        "fit": "inside",
        "gravity": "center",
        "enlarge": "false",
        "sizes": "123x0",
        "format": "jpeg",
        "dpr": "1",
    },
    {"sizes": "123x0", "format": "jpeg", "rotate": "0", "blur": "0", "page": "0", "strip": "true", "dpr": "1.0"},
    {"sizes": "123x0", "format": "jpg", "encoder": "stream", "download": "a.jpg"},
]


def test_order_spelling_and_defaults_do_not_make_a_second_rendition(server):
    renders = server.renders()
    answers = [server.get(client.asset(media.QUARTERS_PNG, **parameters)) for parameters in EQUAL_SPELLINGS]
    assert [answer.status for answer in answers] == [200] * len(EQUAL_SPELLINGS)
    assert len({answer.header("ETag") for answer in answers}) == 1
    assert len({answer.body for answer in answers}) == 1
    assert server.renders() == renders + 1


def test_other_sizes_beside_it_do_not_make_a_second_rendition(server):
    server.get(client.asset(media.QUARTERS_PNG, sizes="77x0,88x0", format="png"))
    renders = server.renders()
    assert Picture.read(server.get(client.asset(media.QUARTERS_PNG, sizes="88x0", format="png")).body).width == 88
    assert Picture.read(server.get(client.asset(media.QUARTERS_PNG, sizes="77x0", format="png")).body).width == 77
    assert server.renders() == renders


@pytest.mark.parametrize(
    "spelling", ["http://{host}:{port}/a.png", "HTTP://{host}:{port}/a.png", "http://{host}:{port}/a.png#top"]
)
def test_spellings_of_one_url_are_one_source(server, origin, root, spelling):
    origin.serve_bytes("/a.png", (root / media.QUARTERS_PNG).read_bytes())
    answer = server.get(client.resize(spelling.format(host=origin.host, port=origin.port), sizes="91x0"))
    assert answer.status == 200
    assert origin.hits("/a.png") == 1
