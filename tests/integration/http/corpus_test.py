"""Real files of all kinds become the rendition that they should, seen beside a reference made in full precision."""

import pytest

from support import client, media
from support.colour import distance
from support.picture import Picture, format_of, header_of, quarters, vips

# What of `odd/` is no picture for this server, and the status that says so.
REFUSED = {"giant-image.jpg": 422, "check.svg": 415, "circle.svg": 415, "struct-image-04-t.svg": 415}
# Colours are compared as the means of blocks of so many pixels a side: WebP of quality 60 moves a pixel's colour by up
# to 10 (CIE76) in busy pictures, the mean of a few by up to 4.
BLOCK = 4
# How much farther from the reference a rendition may be than the reference's own WebP of the same quality is.
NEAR = 1.0


@pytest.mark.parametrize("name", [media.PHOTO, media.DISC, media.CLOCK, media.QUARTERS_PNG, media.QUARTERS_JPEG])
def test_sample_becomes_a_small_webp(server, root, name, tmp_path):
    response = server.get(client.resize(f"file:///{name}", sizes="300x0", format="webp", quality=60))
    assert_is_thumbnail_of(root / name, response, tmp_path)


@pytest.mark.parametrize("file", media.corpus_files("photos", "odd"))
def test_corpus_file_becomes_a_small_webp(server, origin, file, tmp_path):
    path = f"/{file.parent.name}/{file.name}"
    url = origin.serve_bytes(path, file.read_bytes(), content_type="application/octet-stream")
    response = server.get(client.resize(url, sizes="300x0", format="webp", quality=60))
    if file.name in REFUSED:
        assert response.status == REFUSED[file.name], response.body[:500]
        response.problem()
    else:
        assert_is_thumbnail_of(file, response, tmp_path)


def test_all_eight_orientations_become_the_same_picture(server, root, tmp_path):
    # The same JPEG data with each EXIF orientation, cut off centre after being turned: all that could go wrong shows.
    wanted = {1: "RGBY", 2: "GRYB", 3: "YBGR", 4: "BYRG", 5: "RBGY", 6: "BRYG", 7: "YGBR", 8: "GYRB"}
    for orientation, corners in wanted.items():
        jpeg = with_orientation((root / media.QUARTERS_JPEG).read_bytes(), orientation)
        (root / f"turned-{orientation}.jpg").write_bytes(jpeg)
        response = server.get(client.asset(f"turned-{orientation}.jpg", sizes="200x0", format="png"))
        rendition = Picture.read(response.body)
        assert rendition.size == ((200, 150) if orientation < 5 else (200, 267)), orientation
        assert initials(rendition) == corners, orientation
        assert rendition.fields.get("orientation", "1") == "1"


@pytest.mark.parametrize(
    "parameters",
    [
        {"sizes": "120x120", "fit": "cover", "gravity": "northwest"},
        {"sizes": "120x60", "fit": "cover", "gravity": "south"},
        {"sizes": "90x0", "crop": "10,20,200,100"},
        {"sizes": "90x0", "crop": "10%,20%,50%,50%"},
        {"sizes": "120x0", "thumb": "true"},
        {"sizes": "80x0", "flip": "h", "rotate": "90"},
    ],
    ids=str,
)
def test_all_eight_orientations_of_one_scene_are_cut_alike(server, root, tmp_path, parameters):
    """Eight files that look the same when upright: whatever is cut or turned is cut or turned upright."""
    back = {1: [], 2: ["flip", "horizontal"], 3: ["rot", "d180"], 4: ["flip", "vertical"], 6: ["rot", "d270"]}
    back |= {5: ["rot", "d90", "flip", "horizontal"], 7: ["rot", "d270", "flip", "horizontal"], 8: ["rot", "d90"]}
    renditions = {}
    for orientation, operations in back.items():
        steps = Steps(root / media.QUARTERS_PNG, tmp_path)
        for name, argument in zip(operations[::2], operations[1::2]):
            steps.run(name, argument)
        vips("jpegsave", steps.path, tmp_path / "stored.jpg", "--Q", 100, "--strip", "--subsample-mode", "off")
        stored = with_orientation((tmp_path / "stored.jpg").read_bytes(), orientation)
        (root / f"scene-{orientation}.jpg").write_bytes(stored)
        response = server.get(client.asset(f"scene-{orientation}.jpg", format="png", **parameters))
        assert response.status == 200, response.body[:300]
        renditions[orientation] = Picture.read(response.body)
        assert renditions[orientation].fields.get("orientation", "1") == "1"
    for orientation, rendition in renditions.items():
        assert rendition.size == renditions[1].size, orientation
        assert distance(rendition, renditions[1], BLOCK) < NEAR, orientation


@pytest.mark.parametrize("has_profile", [True, False], ids=["with-profile", "without-profile"])
@pytest.mark.parametrize("format", ["jpeg", "webp", "png", "avif"])
def test_inks_become_the_colours_that_they_stand_for(server, root, tmp_path, has_profile, format):
    """A JPEG of cyan, magenta, yellow and black: with its profile, and with none, when libvips' own is taken for it."""
    vips("icc_transform", root / media.QUARTERS_PNG, tmp_path / "inks.v", "cmyk", "--input-profile", "srgb")
    name = f"inks-{has_profile}.jpg"
    vips("jpegsave", tmp_path / "inks.v", root / name, "--Q", 98, *([] if has_profile else ["--strip"]))
    source = header_of(root / name)
    assert source["interpretation"] == "cmyk" and ("icc-profile-data" in source) == has_profile
    response = server.get(client.asset(name, sizes="100x0", format=format, quality=90))
    assert response.status == 200, response.body[:300]
    rendition = Picture.read(response.body)
    assert rendition.bands == 3 and "icc-profile-data" not in rendition.fields
    red, green, _, yellow = quarters(rendition)  # No inks make this blue.
    assert (red, green, yellow) == ("red", "green", "yellow")
    reference = Picture.load(make_reference(root / name, source, rendition.size, tmp_path))
    assert distance(rendition, reference, BLOCK) < NEAR


def initials(picture: Picture) -> str:
    return "".join(name[0].upper() for name in quarters(picture))


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG with an EXIF segment that holds an orientation and nothing else."""
    tiff = (
        b"MM\0\x2a\0\0\0\x08"
        + b"\0\x01"
        + b"\x01\x12\0\x03\0\0\0\x01"
        + bytes([0, orientation])
        + b"\0\0"
        + b"\0\0\0\0"
    )
    segment = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + jpeg[2:]


def assert_is_thumbnail_of(file, response, folder):
    assert response.status == 200, response.body[:500]
    assert response.header("Content-Type") == "image/webp"
    assert format_of(response.body) == "webp"
    rendition, source = Picture.read(response.body), header_of(file)
    assert rendition.fields.get("orientation", "1") == "1"
    assert "icc-profile-data" not in rendition.fields
    assert_animation_is_kept(rendition, file, source)
    wanted = scaled_size(source)
    assert all(abs(have - want) <= 1 for have, want in zip(rendition.size, wanted)), (rendition.size, wanted)
    reference = make_reference(file, source, rendition.size, folder)
    vips("webpsave", reference, folder / "reference.webp", "--Q", 60)
    found = distance(rendition, Picture.load(reference), BLOCK)
    inevitable = distance(Picture.load(folder / "reference.webp"), Picture.load(reference), BLOCK)
    print(f"{file.name}: distance {found:.2f}, of which {inevitable:.2f} are the encoder's")
    assert found < inevitable + NEAR


def assert_animation_is_kept(rendition: Picture, file, source: dict):
    """GIF and WebP keep their frames, but for equal ones, which encoders merge; of others the first page is taken."""
    have, frames = int(rendition.fields.get("n-pages", "1")), int(source.get("n-pages", "1"))
    if frames == 1 or not source["vips-loader"].startswith(("gif", "webp")):
        assert have == 1
    elif have == 1:
        assert Picture.load(file, "[n=-1]").has_equal_pages()
    else:
        assert have <= frames


def scaled_size(source: dict) -> tuple[float, float]:
    width, height = upright_size(source)
    scale = min(1.0, 300 / width)
    return width * scale, height * scale


def upright_size(source: dict) -> tuple[int, int]:
    width, height = int(source["width"]), int(source["height"])
    return (height, width) if source.get("orientation", "1") in "5678" else (width, height)


def make_reference(file, source: dict, size: tuple[int, int], folder):
    """Every pixel decoded, in sRGB, upright, over white, and only then resized, to the very size given."""
    steps, interpretation = Steps(file, folder), source["interpretation"]
    if interpretation in ("grey16", "rgb16"):  # First of all: `icc_transform` would take alpha of 16 bits for one of 8.
        steps.run("colourspace", "b-w" if interpretation == "grey16" else "srgb")
    if "icc-profile-data" in source or interpretation == "cmyk":
        steps.run("icc_transform", "srgb", "--embedded", "--input-profile", "cmyk", "--intent", "perceptual")
    elif interpretation != "srgb":
        steps.run("colourspace", "srgb")
    if source.get("orientation", "1") != "1":
        steps.run("autorot")
    if (int(source["bands"]), interpretation) in [(4, "srgb"), (4, "rgb16"), (2, "b-w"), (2, "grey16")]:
        steps.run("flatten", "--background", "255 255 255")
    width, height = upright_size(source)
    steps.run("resize", size[0] / width, "--vscale", size[1] / height)
    return steps.path


class Steps:
    """A chain of `vips` operations, each on the result of the one before."""

    def __init__(self, path, folder):
        self.path, self._folder, self._count = path, folder, 0

    def run(self, operation: str, *arguments):
        self._count += 1
        output = self._folder / f"step-{self._count}.v"
        vips(operation, self.path, output, *arguments)
        self.path = output
