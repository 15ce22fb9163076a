"""Parameters, reports and the progress bar of `optimux transform`."""

import os
import pty
import subprocess

from support import picture
from support.server import BINARY


def test_parameters_are_those_of_the_server(folder, quarters, transform):
    done = transform(
        *[quarters, "-o", "out.png", "--sizes", "60x60", "--fit", "cover", "--gravity", "west", "--rotate", "180"]
    )
    assert done.returncode == 0, done.stderr
    result = picture.Picture.load("out.png")
    assert result.size == (60, 60)


def test_a_switch_takes_a_value_or_none(folder, quarters, transform):
    for name, arguments in {"a": ["--lossless"], "b": ["--lossless", "true"], "c": ["--lossless=true"]}.items():
        assert transform(quarters, "-o", f"{name}.webp", *arguments).returncode == 0
    assert transform("--lossless", quarters, "-o", "d.webp").returncode == 0
    assert transform(quarters, "-o", "lossy.webp", "--lossless", "false").returncode == 0
    lossless = {(folder / f"{name}.webp").read_bytes() for name in "abcd"}
    assert len(lossless) == 1
    assert (folder / "lossy.webp").read_bytes() not in lossless


def test_a_crop_may_begin_with_a_minus_free_number_list(folder, quarters, transform):
    assert transform(quarters, "-o", "out.png", "--crop", "0,0,50%,50%", "--frames", "-1").returncode == 0
    assert picture.Picture.load("out.png").size == (200, 150)


def test_json_tells_of_each_rendition_and_of_all(folder, photos, transform, objects):
    (photos / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    done = transform("photos", "-o", "out", "--sizes", "40x0,20x0", "--format", "webp", "--json")
    assert done.returncode == 1
    *renditions, last = objects(done)
    assert len(renditions) == 6
    written = [entry for entry in renditions if entry["status"] == "written"]
    assert {(entry["output"], entry["width"], entry["height"]) for entry in written} == {
        ("out/a-40x0.webp", 40, 30),
        ("out/a-20x0.webp", 20, 15),
        ("out/b-40x0.webp", 40, 30),
        ("out/b-20x0.webp", 20, 15),
    }
    assert all(entry["bytes"] == os.path.getsize(entry["output"]) for entry in written)
    assert all(entry["ms"] > 0 for entry in written)
    failed = [entry for entry in renditions if entry["status"] == "failed"]
    assert {entry["error"]["code"] for entry in failed} <= {"broken_media", "unsupported_media"}
    assert last["summary"] | {"ms": 0, "bytes": 0} == {
        **{"written": 4, "skipped": 0, "failed": 2, "not_made": 0, "passed_over": 1},
        **{"bytes": 0, "ms": 0, "interrupted": False},
    }
    assert done.stderr == b""


def test_quiet_says_nothing_of_success(folder, quarters, transform):
    done = transform(quarters, "-o", "out.webp", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_terminal_shows_a_bar_and_a_file_does_not(folder, photos):
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [BINARY, "transform", "photos", "-o", "out", "--sizes", "20x0"], stderr=terminal, stdout=subprocess.DEVNULL
    ) as process:
        os.close(terminal)
        shown = read_all(controller)
        assert process.wait(60) == 0
    assert b"] 2/2 " in shown
    assert b"2 written, 0 skipped, 0 failed" in shown


def read_all(controller: int) -> bytes:
    shown = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:  # The terminal's last holder has gone.
            return shown
        if not part:
            return shown
        shown += part


def test_limits_of_the_configuration_hold(folder, quarters, transform):
    (folder / "small.toml").write_text("max_frame_pixels = 1000\nmax_total_pixels = 1000\n")
    done = transform(quarters, "-o", "out.webp", "--config", "small.toml")
    assert done.returncode == 1
    assert b"max_frame_pixels" in done.stderr
    assert not (folder / "out.webp").exists()
