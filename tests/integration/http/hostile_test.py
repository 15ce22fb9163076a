"""Files made to harm: an error of the table, soon, and a server that goes on as if nothing had been."""

import gzip
import struct
import zlib

import pytest

from support import client, media
from support.parallel import at_once
from support.picture import Picture, format_of, png
from support.server import memory_of

# Those of `hostile/` that only look dangerous.
HARMLESS = {"looks-like-svg.webp"}
REFUSALS = {413, 415, 422}
AT_ONCE = 5.0  # Seconds. The aim is 0.3; a loaded machine must not fail the test.


@pytest.fixture(scope="module")
def server_options():
    return {"negative_cache": "0ms"}  # Each request is to be refused for what is in the bytes.


def thumbnail(server, url: str, **parameters) -> client.Response:
    return server.get(client.resize(url, **({"sizes": "300x0", "format": "webp", "quality": 60} | parameters)))


@pytest.mark.parametrize("file", media.corpus_files("hostile"))
def test_corpus_file_is_refused_at_once(server, origin, file):
    url = origin.serve_bytes(f"/hostile/{file.name}", file.read_bytes())
    response = thumbnail(server, url)
    print(f"{file.name}: {response.status} after {response.seconds * 1000:.0f} ms")
    assert response.seconds < AT_ONCE
    if file.name in HARMLESS:
        assert response.status == 200
        assert format_of(response.body) == "webp"
        return
    assert response.status in REFUSALS, response.body[:500]
    response.problem()


def test_memory_does_not_grow_by_what_headers_claim(server, origin):
    url = origin.serve_bytes("/bomb.png", png_head(60_000, 60_000))
    assert thumbnail(server, url).status == 422
    before = memory_of(server.process)
    for quality in range(1, 51):
        assert thumbnail(server, url, quality=quality).status == 422
    assert memory_of(server.process) - before < 64 << 20


@pytest.mark.parametrize("width, height", [(60_000, 60_000), (65_536, 65_536), (1, 2_000_000), (7_100, 7_100)])
def test_pixels_over_the_limit_are_refused_by_the_header(server, origin, width, height):
    url = origin.serve_bytes(f"/{width}x{height}.png", png_head(width, height))
    response = thumbnail(server, url)
    assert response.status == 422
    assert response.problem()["detail"]


@pytest.mark.parametrize("name", [media.PHOTO, media.DISC, media.CLOCK, media.QUARTERS_JPEG])
@pytest.mark.parametrize("part", [0.02, 0.3, 0.7, 0.97])
def test_truncated_sample_is_an_error_and_never_half_a_picture(server, origin, root, name, part):
    data = (root / name).read_bytes()
    url = origin.serve_bytes(f"/{part}/{name}", data[: int(len(data) * part)])
    response = thumbnail(server, url)
    assert response.status in (415, 422), f"{response.status} for {part:.0%} of {name}"
    assert response.problem()["status"] == response.status


def test_truncated_source_is_not_cached_as_an_error_for_good(start_server, origin, root):
    server = start_server(allow_source=f"{origin.host}/32", negative_cache="0ms")
    data = (root / media.QUARTERS_JPEG).read_bytes()
    url = origin.serve_bytes("/mended.jpg", data[: len(data) // 2])
    assert thumbnail(server, url).status == 422
    origin.serve_bytes("/mended.jpg", data)
    assert thumbnail(server, url).status == 200


@pytest.mark.parametrize(
    "name, data, statuses",
    [
        ("empty.jpg", b"", {415, 422}),
        ("text.jpg", b"<html>this is no picture</html>" * 50, {415}),
        ("script.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", {415}),
        ("magic-only.jpg", b"\xff\xd8\xff", {415, 422}),
        ("magic-only.png", b"\x89PNG\r\n\x1a\n", {415, 422}),
        ("magic-only.gif", b"GIF89a", {415, 422}),
        ("magic-only.webp", b"RIFF\x10\x00\x00\x00WEBP", {415, 422}),
        ("magic-only.avif", b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", {415, 422}),
        ("magic-only.tif", b"II*\0\x08\0\0\0", {415, 422}),
        ("zeros.png", b"\x89PNG\r\n\x1a\n" + bytes(100_000), {415, 422}),
        ("matlab.jpg", b"MATLAB 5.0 MAT-file" + bytes(200), {415}),
        ("pdf.jpg", b"%PDF-1.4\n1 0 obj\n", {415}),
        (
            "picture.bmp",
            b"BM" + struct.pack("<IHHIIiiHHIIiiII", 58, 0, 0, 54, 40, 1, 1, 1, 24, 0, 4, 0, 0, 0, 0) + bytes(4),
            {415},
        ),
    ],
)
def test_what_is_no_readable_picture_is_refused(server, origin, name, data, statuses):
    response = thumbnail(server, origin.serve_bytes("/" + name, data))
    assert response.status in statuses, response.body[:300]
    response.problem()


def test_type_is_told_by_the_bytes_and_never_by_name_or_header(server, origin, root):
    url = origin.serve_bytes("/page.html", (root / media.QUARTERS_PNG).read_bytes(), content_type="text/html")
    response = thumbnail(server, url)
    assert response.status == 200
    assert Picture.read(response.body).size == (300, 225)


def test_trailing_payload_of_a_polyglot_is_left_behind(server, origin, root):
    payload = b"PK\x03\x04" + b"payload" * 100
    url = origin.serve_bytes("/polyglot.jpg", (root / media.QUARTERS_JPEG).read_bytes() + payload)
    response = thumbnail(server, url, format="jpeg")
    assert response.status == 200
    assert b"payload" not in response.body


def test_pdf_behind_a_picture_is_not_handed_on(server, origin, root):
    document = b"%PDF-1.4\n1 0 obj<</JS(app.alert(1))>>endobj\ntrailer<<>>\n%%EOF"
    jpeg = (root / media.QUARTERS_JPEG).read_bytes()
    comment = b"\xff\xfe" + (len(document) + 2).to_bytes(2, "big") + document
    url = origin.serve_bytes("/document.jpg", jpeg[:2] + comment + jpeg[2:] + document)
    for format in ("jpeg", "png", "webp"):
        response = thumbnail(server, url, format=format, strip="false")
        assert response.status == 200
        assert format_of(response.body) == format
        assert b"%PDF" not in response.body and b"app.alert" not in response.body


SVG = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='9' height='9'>{}</svg>"


@pytest.mark.parametrize(
    "text",
    [
        SVG.format("<image href='{canary}' width='9' height='9'/>"),
        SVG.format("<image xlink:href='file:///etc/passwd' width='9' height='9'/>"),
        SVG.format("<style>@import url('{canary}');</style>"),
        SVG.format("<filter><feImage href='{canary}'/></filter>"),
        SVG.format("<script href='{canary}'/>"),
        SVG.format("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{canary}' parse='text'/>"),
        "<!DOCTYPE svg [<!ENTITY secret SYSTEM 'file:///etc/passwd'>]>" + SVG.format("<text>&secret;</text>"),
        "<!DOCTYPE svg SYSTEM '{canary}'>" + SVG.format(""),
        "<?xml version='1.0'?><?xml-stylesheet href='{canary}'?>" + SVG.format(""),
        "\n \n<!-- -->" + SVG.format("<image href='{canary}'/>"),
    ],
)
def test_svg_is_refused_and_nothing_that_it_names_is_asked_for(server, origin, canary, text):
    svg = text.replace("{canary}", f"http://127.0.0.1:{canary.port}/a.png").encode()
    url = origin.serve_bytes("/drawing.svg", svg, content_type="image/svg+xml")
    for body_kind in (svg, gzip.compress(svg)):
        origin.serve_bytes("/drawing.svg", body_kind, content_type="image/svg+xml")
        response = thumbnail(server, url)
        assert response.status == 415, response.body[:300]
        assert b"root:" not in response.body
        response.problem()
    assert canary.hits == 0


@pytest.mark.parametrize(
    "data",
    [
        SVG.format("<script>alert(1)</script>").encode(),
        gzip.compress(SVG.format("<script>alert(1)</script>").encode()),
        b"<!doctype html><script>alert(1)</script>",
        b"<?xml version='1.0'?>" + SVG.format("<rect onload='alert(1)'/>").encode(),
        b"%PDF-1.4\n1 0 obj<</JS(app.alert(1))>>endobj\ntrailer<<>>\n%%EOF",
        b"GIF89a=1;alert(1)//",
    ],
    ids=["svg", "svgz", "html", "xml", "pdf", "script-with-magic"],
)
def test_what_a_browser_could_run_is_never_handed_on_as_an_original(server, origin, data):
    url = origin.serve_bytes("/drawing.png", data, content_type="image/png")
    response = server.get(client.resize(url, format="original"))
    assert response.status in REFUSALS, response.body[:300]
    assert b"alert" not in response.body
    response.problem()


def test_original_is_called_what_its_bytes_are_and_nothing_else_is_guessed(server, origin, root):
    picture = (root / media.QUARTERS_PNG).read_bytes()
    url = origin.serve_bytes("/page.html", picture, content_type="text/html", Content_Disposition="inline")
    response = server.get(client.resize(url, format="original"))
    assert (response.status, response.body) == (200, picture)
    assert response.header("Content-Type") == "image/png"
    assert response.header("X-Content-Type-Options") == "nosniff"
    assert response.header("Content-Disposition") is None


def test_gif_of_107_000_frames_is_over_a_limit_and_its_first_one_is_shown(server, origin):
    url = origin.serve_bytes("/very-many.gif", gif_of_frames(107_000, side=148))
    before = memory_of(server.process)
    assert thumbnail(server, url).status == 422
    still = thumbnail(server, url, format="jpeg")
    assert still.status in (200, 422)
    assert memory_of(server.process) - before < 64 << 20


def test_animations_that_are_written_anew_two_at_a_time_stay_within_their_memory(start_server, origin):
    server = start_server(allow_source=f"{origin.host}/32", max_frames=300, image_workers_max=2)
    url = origin.serve_bytes("/animation.gif", gif_of_frames(300, side=148))
    assert thumbnail(server, url, sizes="20x0").status == 200
    before = memory_of(server.process)
    answers = at_once(lambda quality: thumbnail(server, url, sizes="140x0", quality=quality), range(50, 54))
    assert [answer.status for answer in answers] == [200] * 4
    assert memory_of(server.process) - before < 256 << 20


def test_gif_of_very_many_frames_is_over_a_limit(server, origin):
    url = origin.serve_bytes("/many.gif", gif_of_frames(3_000))
    response = thumbnail(server, url)
    assert response.status == 422
    still = thumbnail(server, url, format="jpeg")
    assert still.status in (200, 422)


def png_head(width: int, height: int) -> bytes:
    """A PNG that claims any size and has next to no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    whole = png(2, 2, lambda x, y: (0, 0, 0))
    return whole[:8] + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")


def gif_of_frames(count: int, side: int = 1) -> bytes:
    """A valid animated GIF of square frames, each with one pixel in its corner, black and white by turns so that none
    can be merged away."""

    def frame(index: int) -> bytes:
        pixel = b"\x02\x02\x44\x01\x00" if index % 2 == 0 else b"\x02\x02\x4c\x01\x00"
        control = b"\x21\xf9\x04\x00\x0a\x00\x00\x00"
        return control + b"\x2c" + struct.pack("<4HB", 0, 0, 1, 1, 0) + pixel

    head = b"GIF89a" + struct.pack("<2H3B", side, side, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return head + b"".join(frame(index) for index in range(count)) + b"\x3b"
