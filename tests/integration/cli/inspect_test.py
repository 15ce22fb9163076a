"""`optimux inspect`: what it says of pictures, and whether files that are cut there show what it promises."""

import math

import pytest

from cli.command import run
from support import picture
from support.picture import Picture


@pytest.fixture
def inspect(objects):
    """What `inspect --json` says of one file."""

    def inspect_file(path) -> dict:
        done = run("inspect", "--json", path)
        assert done.returncode == 0, done.stderr
        (found,) = objects(done)
        return found

    return inspect_file


@pytest.fixture
def textured(folder):
    """A PNG of 480 x 360 pixels with coarse and fine structure."""

    def pixel(x, y):
        coarse = math.sin(x / 31) * math.cos(y / 23)
        middle = math.sin((x + 2 * y) / 5)
        fine = (x * 7919 + y * 104729 + x * y * 31) % 97 / 97 - 0.5
        return [int(128 + (70 - 20 * band) * coarse + 25 * middle + 40 * fine) for band in range(3)]

    path = folder / "textured.png"
    path.write_bytes(picture.png(480, 360, pixel))
    return path


def ends_of(found: dict) -> dict[str, int]:
    return {phase["phase"]: phase["end"] for phase in found["phases"]}


def noise_ratio(one: Picture, other: Picture) -> float:
    """Peak signal-to-noise ratio in dB."""
    assert one.size == other.size
    squares = sum((a - b) ** 2 for a, b in zip(one.pixels, other.pixels, strict=True)) / len(one.pixels)
    return 99 if squares == 0 else 10 * math.log10(255 * 255 / squares)


def test_progressive_jpeg_cut_at_a_phase_shows_what_it_promises(folder, textured, transform, inspect):
    assert transform(textured, "-o", "a.jpg", "--progressive").returncode == 0
    data = (folder / "a.jpg").read_bytes()
    whole = Picture.load("a.jpg")
    ends = ends_of(inspect("a.jpg"))
    assert 0 < ends["head"] < ends["first"] < ends["good"] < ends["full"] == len(data)
    ratios = {}
    for phase in ("head", "first", "good"):
        (folder / "cut.jpg").write_bytes(data[: ends[phase]])
        ratios[phase] = noise_ratio(whole, Picture.load("cut.jpg", "[fail-on=none]"))
    assert ratios["first"] > 15 and ratios["first"] > ratios["head"] + 2, ratios
    assert ratios["good"] > 25 and ratios["good"] > ratios["first"] + 3, ratios


def test_scans_of_a_progressive_jpeg_are_listed(folder, textured, transform, inspect):
    assert transform(textured, "-o", "a.jpg", "--progressive").returncode == 0
    found = inspect("a.jpg")
    assert found["progressive"] is True
    assert found["scans"][0]["components"] == [1, 2, 3] and found["scans"][0]["last_coefficient"] == 0
    assert found["scans"][-1]["bit"] == 0 and found["scans"][-1]["end"] == found["bytes"]
    text = run("inspect", "a.jpg").stdout.decode()
    assert text.startswith(f"a.jpg: jpeg, progressive, 480 x 360 pixels, {found['bytes']} bytes\n")
    assert f"scan {found['phases'][1]['number']}\n" in text


@pytest.mark.parametrize("extension", ["jpg", "png", "webp", "avif", "gif"])
def test_formats_that_show_nothing_early_have_a_head_alone(folder, quarters, transform, inspect, extension):
    assert transform(quarters, "-o", f"a.{extension}").returncode == 0
    found = inspect(f"a.{extension}")
    ends = ends_of(found)
    assert (found["width"], found["height"], found["pixels"]) == (400, 300, 120000)
    assert 0 < ends["head"] == ends["first"] == ends["good"] < ends["full"] == found["bytes"]
    assert "scans" not in found


def test_interlaced_png_has_its_passes(folder, textured, transform, inspect):
    assert transform(textured, "-o", "a.png", "--progressive").returncode == 0
    found = inspect("a.png")
    ends = ends_of(found)
    assert ends["head"] < ends["first"] < ends["good"] < ends["full"]
    assert [phase.get("number") for phase in found["phases"]] == [None, 3, 5, None]


def test_standard_input_and_several_files(folder, quarters, transform):
    assert transform(quarters, "-o", "a.jpg").returncode == 0
    with open("a.jpg", "rb") as stream:
        done = run("inspect", "-", quarters, stdin=stream)
    assert done.returncode == 0
    first, second = done.stdout.decode().split("\n\n")
    assert first.startswith("-: jpeg, 400 x 300 pixels")
    assert second.startswith(f"{quarters}: png, 400 x 300 pixels")


def test_what_cannot_be_read_fails_and_the_others_are_told(folder, quarters, objects):
    (folder / "broken.png").write_bytes(quarters.read_bytes()[:-9])
    (folder / "notes.txt").write_text("no picture")
    done = run("inspect", "missing.jpg", "broken.png", "notes.txt", quarters)
    assert done.returncode == 1
    assert done.stdout.decode().startswith(f"{quarters}: png")
    assert [line.split(" ", 2)[1] for line in done.stderr.decode().splitlines()] == [
        "missing.jpg",
        "broken.png:",
        "notes.txt:",
    ]
    done = run("inspect", "--json", "missing.jpg", "broken.png", "notes.txt")
    assert done.returncode == 1 and done.stderr == b""
    assert [found["error"]["code"] for found in objects(done)] == ["not_found", "broken_media", "unsupported_media"]
