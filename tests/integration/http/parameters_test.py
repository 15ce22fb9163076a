"""What each parameter does to size, type and pixels."""

import pytest

from support import client, media
from support.picture import BLUE, GREEN, RED, YELLOW, Picture, format_of, png, quarters

# The source is four quarters of 400x300: red, green, blue, yellow.
CONTENT_TYPES = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "avif": "image/avif",
    "gif": "image/gif",
}


def render(server, key: str = media.QUARTERS_PNG, **parameters) -> Picture:
    response = server.get(client.asset(key, **({"format": "png"} | parameters)))
    assert response.status == 200, response.body[:500]
    return Picture.read(response.body)


def names(picture: Picture) -> str:
    return " ".join(quarters(picture))


@pytest.mark.parametrize(
    "sizes, expected",
    [
        ("100x75", (100, 75)),
        ("100x0", (100, 75)),
        ("0x75", (100, 75)),
        ("100x", (100, 75)),
        ("x75", (100, 75)),
        ("100", (100, 75)),
        ("0x0", (400, 300)),
        ("100x100", (100, 75)),
        ("200x75", (100, 75)),
        ("1x1", (1, 1)),
        ("4000x4000", (400, 300)),
        ("399x0", (399, 299)),
    ],
)
def test_sizes(server, sizes, expected):
    assert render(server, sizes=sizes).size == expected


@pytest.mark.parametrize(
    "fit, expected",
    [
        ("inside", (100, 75)),
        ("cover", (100, 100)),
        ("contain", (100, 100)),
        ("fill", (100, 100)),
        ("outside", (133, 100)),
    ],
)
def test_fit(server, fit, expected):
    assert render(server, sizes="100x100", fit=fit).size == expected


def test_fill_keeps_all_of_the_picture(server):
    assert names(render(server, sizes="50x200", fit="fill")) == "red green blue yellow"


def test_contain_fills_the_rest_with_the_background(server):
    picture = render(server, sizes="100x100", fit="contain", background="0000ff")
    assert picture.looks_like(0.5, 0.02, (0, 0, 255)) and picture.looks_like(0.5, 0.98, (0, 0, 255))
    assert picture.looks_like(0.1, 0.3, RED)


@pytest.mark.parametrize(
    "gravity, corner",
    [
        ("northwest", "red"),
        ("northeast", "green"),
        ("southwest", "blue"),
        ("southeast", "yellow"),
        ("fp:0,0", "red"),
        ("fp:1,1", "yellow"),
        ("fp:0.9,0.1", "green"),
    ],
)
@pytest.mark.parametrize("box", ["40x300", "400x40"])
def test_gravity_says_what_stays_when_something_is_cut(server, gravity, corner, box):
    picture = render(server, sizes=box, fit="cover", gravity=gravity)
    assert picture.size == tuple(int(side) for side in box.split("x"))
    x = 0.1 if "west" in gravity or gravity == "fp:0,0" else 0.9
    y = 0.1 if "north" in gravity or gravity in ("fp:0,0", "fp:0.9,0.1") else 0.9
    colours = {"red": RED, "green": GREEN, "blue": BLUE, "yellow": YELLOW}
    assert picture.looks_like(x, y, colours[corner])


@pytest.mark.parametrize("gravity", ["center", "north", "south", "east", "west", "smart", "entropy"])
def test_every_gravity_gives_the_whole_box(server, gravity):
    assert render(server, sizes="70x70", fit="cover", gravity=gravity).size == (70, 70)


def test_enlarge(server):
    assert render(server, sizes="800x0").size == (400, 300)
    assert render(server, sizes="800x0", enlarge="true").size == (800, 600)


@pytest.mark.parametrize("dpr, expected", [("1", (100, 75)), ("2", (200, 150)), ("1.5", (150, 113)), ("4", (400, 300))])
def test_dpr(server, dpr, expected):
    width, height = render(server, sizes="100x0", dpr=dpr).size
    assert width == expected[0] and abs(height - expected[1]) <= 1


@pytest.mark.parametrize("name", ["jpeg", "jpg", "png", "webp", "avif", "gif"])
def test_format(server, name):
    response = server.get(client.asset(media.QUARTERS_PNG, sizes="60x0", format=name))
    expected = "jpeg" if name == "jpg" else name
    assert response.status == 200, response.body
    assert format_of(response.body) == expected
    assert response.header("Content-Type") == CONTENT_TYPES[expected]
    assert Picture.read(response.body).size == (60, 45)


@pytest.mark.parametrize(
    "key, expected",
    [(media.QUARTERS_PNG, "png"), (media.QUARTERS_JPEG, "jpeg"), (media.CLOCK, "gif"), (media.DISC, "png")],
)
def test_format_is_the_sources_own_by_default(server, key, expected):
    response = server.get(client.asset(key, sizes="60x0"))
    assert format_of(response.body) == expected
    assert response.header("Content-Type") == CONTENT_TYPES[expected]


@pytest.mark.parametrize("name", ["jpeg", "webp", "avif"])
def test_quality_makes_it_larger(server, name):
    sizes = [
        len(server.get(client.asset(media.PHOTO, sizes="200x0", format=name, quality=quality)).body)
        for quality in (10, 50, 95)
    ]
    assert sizes == sorted(sizes) and len(set(sizes)) == 3


@pytest.mark.parametrize("name", ["webp", "avif", "png", "gif"])
def test_effort_is_taken(server, name):
    for effort in (0, 9):
        picture = Picture.read(
            server.get(client.asset(media.QUARTERS_PNG, sizes="60x0", format=name, effort=effort)).body
        )
        assert picture.size == (60, 45)


@pytest.mark.parametrize("name, deviation", [("webp", 0), ("avif", 1)])  # AVIF is made of YCbCr, which rounds.
def test_lossless_gives_the_pixels_back(server, name, deviation):
    rendition, original = render(server, format=name, lossless="true"), render(server)
    assert max(abs(have - want) for have, want in zip(rendition.pixels, original.pixels, strict=True)) <= deviation


@pytest.mark.parametrize("name", ["jpeg", "jpg", "gif"])
def test_lossless_is_refused_of_formats_that_cannot_be(server, name):
    response = server.get(client.asset(media.QUARTERS_PNG, format=name, lossless="true"))
    assert response.status == 400
    assert f"lossless cannot be true with format {name.replace('jpg', 'jpeg')}" in response.problem()["detail"]
    assert server.get(client.asset(media.QUARTERS_PNG, format=name, lossless="false")).status == 200


def test_lossless_is_a_wish_where_the_format_is_not_named(server):
    own = server.get(client.asset(media.QUARTERS_JPEG, lossless="true"))
    assert own.status == 200 and own.header("Content-Type") == "image/jpeg"
    for accept, content_type in {"image/jpeg": "image/jpeg", "image/webp": "image/webp"}.items():
        target = client.asset(media.QUARTERS_JPEG, format="auto", lossless="true")
        response = server.get(target, Accept=accept)
        assert response.status == 200 and response.header("Content-Type") == content_type


def test_progressive(server):
    def scans(**parameters):
        return server.get(client.asset(media.QUARTERS_PNG, sizes="90x0", format="jpeg", **parameters)).body.count(
            b"\xff\xda"
        )

    assert scans() == 1
    assert scans(progressive="true") > 1
    assert scans(encoder="progress") > 1
    assert scans(encoder="progress", progressive="false") == 1


def test_strip_drops_metadata_unless_told_otherwise(server, root):
    comment = b"optimux-test-comment"
    exif = exif_with_description(comment)
    data = (root / media.QUARTERS_JPEG).read_bytes()
    (root / "tagged.jpg").write_bytes(data[:2] + exif + data[2:])
    stripped = server.get(client.asset("tagged.jpg", sizes="60x0"))
    kept = server.get(client.asset("tagged.jpg", sizes="60x0", strip="false"))
    assert comment not in stripped.body
    assert comment in kept.body


def exif_with_description(text: bytes) -> bytes:
    text += b"\0"
    tiff = (
        b"MM\0\x2a\0\0\0\x08"
        + b"\0\x01"
        + b"\x01\x0e\0\x02"
        + len(text).to_bytes(4, "big")
        + b"\0\0\0\x1a"
        + b"\0\0\0\0"
        + text
    )
    segment = b"Exif\0\0" + tiff
    return b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment


def test_thumb_makes_a_missing_side_equal_the_other(server):
    width, height = render(server, sizes="100x0", thumb="true").size
    assert max(width, height) == 100


@pytest.mark.parametrize(
    "crop, expected, corner",
    [
        ("0,0,200,150", (200, 150), "red"),
        ("200,0,200,150", (200, 150), "green"),
        ("50%,50%,50%,50%", (200, 150), "yellow"),
        ("0,50%,100,25%", (100, 75), "blue"),
        ("390,290,100,100", (10, 10), "yellow"),
    ],
)
def test_crop(server, crop, expected, corner):
    picture = render(server, crop=crop)
    assert picture.size == expected
    assert names(picture) == " ".join([corner] * 4)


def test_crop_comes_before_resizing(server):
    assert render(server, crop="0,0,200,300", sizes="100x0").size == (100, 150)


@pytest.mark.parametrize(
    "rotate, expected, size",
    [
        (0, "red green blue yellow", (400, 300)),
        (90, "blue red yellow green", (300, 400)),
        (180, "yellow blue green red", (400, 300)),
        (270, "green yellow red blue", (300, 400)),
    ],
)
def test_rotate_turns_clockwise(server, rotate, expected, size):
    picture = render(server, rotate=rotate)
    assert picture.size == size
    assert names(picture) == expected


@pytest.mark.parametrize(
    "flip, expected", [("h", "green red yellow blue"), ("v", "blue yellow red green"), ("hv", "yellow blue green red")]
)
def test_flip(server, flip, expected):
    assert names(render(server, flip=flip)) == expected


def test_flip_comes_after_rotate(server):
    assert names(render(server, rotate=90, flip="h")) == "red blue green yellow"


def test_blur_softens_the_edge_between_quarters(server):
    sharp, soft = render(server, sizes="200x0"), render(server, sizes="200x0", blur=8)
    assert not sharp.looks_like(0.47, 0.25, GREEN) and sharp.looks_like(0.47, 0.25, RED)
    assert not soft.looks_like(0.49, 0.25, RED)
    assert soft.looks_like(0.1, 0.1, RED)


def test_sharpen_changes_pixels_and_not_the_size(server):
    plain, sharpened = render(server, media.PHOTO, sizes="100x0"), render(
        server, media.PHOTO, sizes="100x0", sharpen=1.5
    )
    assert sharpened.size == plain.size
    assert sharpened.pixels != plain.pixels


def test_background_lies_under_alpha(server):
    corner = (0.01, 0.01)
    assert render(server, media.DISC, sizes="80x0", format="jpeg").looks_like(*corner, (255, 255, 255))
    assert render(server, media.DISC, sizes="80x0", format="jpeg", background="ff0000").looks_like(*corner, (255, 0, 0))
    flattened = render(server, media.DISC, sizes="80x0", format="png", background="00ff00")
    assert flattened.at(*corner)[:3] == (0, 255, 0) and flattened.at(*corner)[3:] in ((), (255,))


@pytest.mark.parametrize("name", ["png", "webp", "avif"])
def test_alpha_is_kept_where_the_format_has_it(server, name):
    picture = render(server, media.DISC, sizes="80x0", format=name)
    assert picture.bands == 4
    assert picture.at(0.01, 0.01)[3] == 0
    assert picture.at(0.5, 0.5)[3] == 255


def test_edge_of_alpha_has_no_dark_seam(server, root):
    # White on transparent black: resized without regard to alpha, the edge would turn grey.
    data = png(200, 200, lambda x, y: (255, 255, 255, 255) if 50 <= x < 150 else (0, 0, 0, 0), alpha=True)
    (root / "seam.png").write_bytes(data)
    picture = render(server, "seam.png", sizes="33x0", background="ffffff", format="jpeg", quality=95)
    assert min(picture.pixels) > 240


@pytest.mark.parametrize("name", ["gif", "webp"])
def test_animation_stays_an_animation(server, name):
    picture = Picture.read_all_pages(server.get(client.asset(media.CLOCK, sizes="80x0", format=name)).body)
    assert picture.size == (80, 60)
    assert picture.pages == 20
    assert picture.fields["delay"].split() == ["100"] * 20


@pytest.mark.parametrize("name", ["jpeg", "png", "avif"])
def test_animation_becomes_a_still_where_the_format_has_none(server, name):
    picture = Picture.read(server.get(client.asset(media.CLOCK, sizes="80x0", format=name)).body)
    assert picture.size == (80, 60)
    assert picture.fields.get("n-pages", "1") == "1"


@pytest.mark.parametrize(
    "parameters, pages",
    [({"frames": 1}, 1), ({"frames": 5}, 5), ({"frames": -1}, 20), ({"page": 15}, 5), ({"page": 15, "frames": 2}, 2)],
)
def test_page_and_frames_choose_from_an_animation(server, parameters, pages):
    response = server.get(client.asset(media.CLOCK, sizes="80x0", format="webp", **parameters))
    assert response.status == 200, response.body
    assert Picture.read_all_pages(response.body).pages == pages


def test_page_chooses_the_still(server):
    first = server.get(client.asset(media.CLOCK, sizes="80x0", format="png", page=0))
    tenth = server.get(client.asset(media.CLOCK, sizes="80x0", format="png", page=10))
    assert first.body != tenth.body


def test_repeated_sizes_are_a_list(server):
    response = server.get("/optimux/assets/quarters.png?sizes=50x0&sizes=40x0&sizes=30x0,20x0&encoder=json&format=png")
    assert list(response.json()["data"]) == ["50x38.png", "40x30.png", "30x23.png", "20x15.png"]
