"""The three ways to hand the bytes over, several sizes, and download names."""

import base64
import re
import urllib.parse

import pytest

from support import client, media
from support.picture import Picture, format_of

CACHE_DEPENDENT = {"age", "server-timing", "x-request-id", "transfer-encoding", "content-length", "date"}


def stable_headers(response) -> list:
    return sorted((name.lower(), value) for name, value in response.headers if name.lower() not in CACHE_DEPENDENT)


def links_of(response) -> list[str]:
    """The values of all Link fields, each one link."""
    return [link for field in response.all("Link") for link in re.split(r",\s*(?=<)", field)]


@pytest.mark.parametrize("encoder", ["stream", "progress"])
@pytest.mark.parametrize("name", ["jpeg", "png", "webp", "avif", "gif"])
def test_stream_and_progress_give_the_picture(server, encoder, name):
    response = server.get(client.asset(media.PHOTO, sizes="220x0", format=name, encoder=encoder))
    assert response.status == 200, response.body[:300]
    assert format_of(response.body) == name
    assert Picture.read(response.body).size == (220, 165)


def test_json_gives_all_sizes_as_data_uris(server):
    response = server.get(client.asset(media.PHOTO, sizes="300x0,150x0", format="webp", quality=60, encoder="json"))
    assert response.status == 200
    assert response.header("Content-Type").split(";")[0] == "application/json"
    data = response.json()["data"]
    assert list(data) == ["300x225.webp", "150x113.webp"] or list(data) == ["300x225.webp", "150x112.webp"]
    for name, uri in data.items():
        head, _, text = uri.partition(",")
        assert head == "data:image/webp;base64"
        width, height = name.removesuffix(".webp").split("x")
        assert Picture.read(base64.b64decode(text, validate=True)).size == (int(width), int(height))


def test_json_holds_the_bytes_that_stream_gives(server):
    document = server.get(client.asset(media.QUARTERS_PNG, sizes="64x0", format="jpeg", encoder="json")).json()
    streamed = server.get(client.asset(media.QUARTERS_PNG, sizes="64x0", format="jpeg"))
    (uri,) = document["data"].values()
    assert base64.b64decode(uri.partition(",")[2]) == streamed.body


def test_json_of_a_broken_source_is_a_problem(server, root):
    (root / "half.jpg").write_bytes((root / media.QUARTERS_JPEG).read_bytes()[:3000])
    response = server.get(client.asset("half.jpg", sizes="100x0,50x0", encoder="json"))
    assert response.status == 422
    response.problem()


@pytest.mark.parametrize("encoder", ["stream", "progress"])
def test_other_sizes_are_named_in_link(server, encoder):
    response = server.get(client.asset(media.PHOTO, sizes="240x0,120x0,60x0", format="webp", encoder=encoder))
    assert Picture.read(response.body).width == 240
    links = links_of(response)
    assert len(links) == 2
    widths = []
    for link in links:
        target, parameters = re.fullmatch(r"<([^<>]*)>((?:;\s*[\w-]+(?:=[\w-]+)?)+)", link).groups()
        assert {part.strip() for part in parameters.split(";")} >= {"rel=preload", "as=image"}
        widths.append(Picture.read(server.get(target).body).width)
    assert widths == [120, 60]


def test_one_size_has_no_link(server):
    assert links_of(server.get(client.asset(media.QUARTERS_PNG, sizes="44x0"))) == []


def test_links_carry_the_source_url_whatever_is_in_it(server, origin, root):
    data = (root / media.QUARTERS_PNG).read_bytes()
    url = origin.serve_bytes("/a%20b%3E%22;c,d?x=1&y=%26", data)
    response = server.get(client.resize(url, sizes="50x0,25x0", format="png"))
    assert response.status == 200, response.body
    (link,) = links_of(response)
    target = re.match(r"<([^<>\s]*)>", link)[1]
    assert Picture.read(server.get(target).body).width == 25


@pytest.mark.parametrize(
    "parameters",
    [
        {"format": "webp"},
        {"format": "jpeg", "encoder": "progress"},
        {"format": "png", "download": "é.png"},
        {"sizes": "90x0,45x0"},
        {"encoder": "json", "format": "webp"},
        {"format": "auto"},
    ],
)
def test_cached_answer_is_the_first_one_again(server, parameters):
    target = client.asset(media.PHOTO, **({"sizes": "95x0", "quality": 33} | parameters))
    first, second = server.get(target), server.get(target)
    assert first.status == second.status == 200
    assert first.body == second.body
    assert stable_headers(first) == stable_headers(second)
    assert first.header("X-Request-Id") != second.header("X-Request-Id")
    assert int(second.header("Content-Length")) == len(second.body)


def test_server_timing_says_where_the_time_went(server):
    target = client.asset(media.PHOTO, sizes="99x0", format="webp", quality=34)
    first, second = server.get(target).header("Server-Timing"), server.get(target).header("Server-Timing")
    assert re.search(r"\bcache;desc=\"?miss", first) and re.search(r"\bcache;desc=\"?hit", second)
    times = {name: float(time) for name, time in re.findall(r"\b(\w+);dur=(\d+(?:\.\d+)?)\b", first)}
    assert {"fetch", "queue", "decode"} <= times.keys(), first
    assert times["decode"] > 0, first


def test_first_byte_comes_before_the_last_pixel_is_encoded(server):
    # Without a length: the head was sent while the encoder still ran.
    response = server.get(client.asset(media.PHOTO, sizes="2000x0", format="png"))
    assert response.header("Transfer-Encoding") == "chunked"
    assert Picture.read(response.body).width == 2000


DOWNLOAD_NAMES = [
    "photo.jpg",
    "with space.jpg",
    'foto-"vse,-test".jpg',
    "é/書",
    "a\r\nX-Injected: yes",
    "a\nSet-Cookie: a=b",
    "a\0b",
    "..\\..\\evil.exe",
    "../../etc/passwd",
    "semi;colon=x.jpg",
    "per%cent.jpg",
    "\u202egpj.exe",
    "𝄞.png",
    "x" * 5000,
    "back\\slash",
    "'single'*.jpg",
    "\x7f\x1b[31m",
]


@pytest.mark.parametrize("name", DOWNLOAD_NAMES, ids=lambda name: ascii(name)[:24])
def test_download_name_makes_one_well_formed_content_disposition(server, name):
    response = server.get(client.asset(media.QUARTERS_PNG, sizes="22x0", download=name))
    assert response.status == 200, response.body[:300]
    assert {"x-injected", "set-cookie"}.isdisjoint(field.lower() for field, _ in response.headers)
    disposition = response.header("Content-Disposition")
    match = re.fullmatch(
        r'attachment(?:; filename="((?:[^"\\\x00-\x1f\x7f-\U0010ffff]|\\["\\])*)")?(?:; filename\*=UTF-8\'\'([\w.!#$&+^`|~%-]*))?',
        disposition,
    )
    assert match, disposition
    for shown in (re.sub(r"\\(.)", r"\1", match[1] or ""), urllib.parse.unquote(match[2] or "", errors="strict")):
        assert "/" not in shown and not re.search(r"[\x00-\x1f\x7f]", shown), shown


@pytest.mark.parametrize("name", ["photo.jpg", "with space.jpg", "書é.jpg"])
def test_harmless_download_name_arrives_unchanged(server, name):
    disposition = server.get(client.asset(media.QUARTERS_PNG, sizes="22x0", download=name)).header(
        "Content-Disposition"
    )
    if name.isascii():
        assert f'filename="{name}"' in disposition
    else:
        assert "filename*=UTF-8''" + urllib.parse.quote(name) in disposition


def test_download_name_that_is_not_utf8(server):
    response = server.get("/optimux/assets/quarters.png?sizes=22x0&download=%ff%fe.png")
    assert response.status in (200, 400)
    if response.status == 200:
        assert response.header("Content-Disposition").startswith("attachment")
