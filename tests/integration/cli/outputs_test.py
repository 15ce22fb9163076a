"""Where `optimux transform` writes, what it never overwrites, and what it leaves behind when it cannot write."""

import os
import resource
import subprocess

import pytest

from cli.command import run
from support import picture

SMALL = ["--sizes", "40x0", "--format", "webp"]


def test_several_sizes_have_names_of_their_own(folder, quarters, transform, files):
    assert transform(quarters, "-o", "out", "--sizes", "40x0,0x60", "--format", "webp").returncode == 0
    assert files(folder / "out") == {"quarters-40x0.webp", "quarters-0x60.webp"}


def test_a_template_names_them(folder, quarters, transform, files):
    done = transform(quarters, "-o", "out", "--sizes", "40x0,0x60", "--name", "{index}/{name}-{width}x{height}.{ext}")
    assert done.returncode == 0, done.stderr
    assert files(folder / "out") == {"1/quarters.png-40x30.png", "2/quarters.png-80x60.png"}


def test_the_extension_of_the_output_is_its_format(folder, quarters, transform):
    for extension in ("jpg", "png", "webp", "gif", "avif"):
        assert transform(quarters, "-o", f"out.{extension}", "--sizes", "40x0").returncode == 0
        expected = {"jpg": "jpeg"}.get(extension, extension)
        assert picture.format_of((folder / f"out.{extension}").read_bytes()) == expected


def test_an_existing_file_is_refused_skipped_or_overwritten(folder, quarters, transform):
    (folder / "out.webp").write_text("old")
    refused = transform(quarters, "-o", "out.webp")
    assert refused.returncode == 1
    assert b"'out.webp' exists; give --overwrite or --skip-existing" in refused.stderr
    skipped = transform(quarters, "-o", "out.webp", "--skip-existing")
    assert (skipped.returncode, skipped.stderr[:31]) == (0, b"0 written, 1 skipped, 0 failed;")
    assert (folder / "out.webp").read_text() == "old"
    assert transform(quarters, "-o", "out.webp", "--overwrite").returncode == 0
    assert picture.format_of((folder / "out.webp").read_bytes()) == "webp"


def test_what_exists_is_skipped_without_work_where_the_format_is_the_inputs_own(folder, quarters, transform, objects):
    (folder / "cut.png").write_bytes(quarters.read_bytes()[:600])  # It cannot be rendered: skipping is no work.
    (folder / "out").mkdir()
    (folder / "out/cut.png").write_text("old")
    done = transform("cut.png", "-o", "out", "--skip-existing", "--json")
    assert done.returncode == 0
    assert [entry["status"] for entry in objects(done) if "input" in entry] == ["skipped"]


def test_one_size_in_several_spellings_is_one_file(folder, quarters, transform, files):
    done = transform(quarters, "-o", "out/", "--sizes", "24,24x,24x0")
    assert (done.returncode, done.stderr[:31]) == (0, b"1 written, 0 skipped, 0 failed;")
    assert files(folder / "out") == {"quarters.png"}


def test_scripts_can_tell_failures_apart(folder, quarters, transform, objects):
    (folder / "a.png").write_bytes(quarters.read_bytes())
    (folder / "b.png").write_bytes(quarters.read_bytes())
    (folder / "folder.png").mkdir()
    (folder / "folder.png/x.png").write_bytes(quarters.read_bytes()[:600])
    (folder / "out").mkdir()
    (folder / "out/a.webp").write_text("old")
    (folder / "out/deep").write_text("no folder")

    def codes(*arguments):
        done = transform(*arguments, "--json", *SMALL)
        assert done.returncode == 1
        return [entry["error"]["code"] for entry in objects(done) if "error" in entry]

    assert codes("a.png", "missing.png", "-o", "out") == ["exists", "no_such_file"]
    assert codes("b.png", "./b.png", "-o", "out") == ["name_taken"]
    assert codes("a.png", "-o", "a.png") == ["is_input"]
    assert codes("folder.png", "-o", "out") == ["broken_media"]
    assert codes("a.png", "-o", "out", "--name", "deep/{stem}") == ["cannot_write"]
    assert codes("/proc/self/mem", "-o", "out") == ["cannot_read"]


@pytest.mark.parametrize("existing", [[], ["--overwrite"], ["--skip-existing"]])
@pytest.mark.parametrize("output", ["a.png", "./a.png", "twin.png", "link.png"])
def test_an_input_is_never_overwritten(folder, quarters, transform, files, existing, output):
    (folder / "a.png").write_bytes(quarters.read_bytes())
    os.link("a.png", "twin.png")
    os.symlink("a.png", "link.png")
    done = transform("a.png", "-o", output, *existing)
    assert done.returncode == 1
    assert b"is one of the inputs" in done.stderr
    assert (folder / "a.png").read_bytes() == quarters.read_bytes()
    assert files(folder) == {"a.png", "twin.png", "link.png"}


def test_standard_input_from_a_file_is_an_input_too(folder, quarters, transform):
    (folder / "a.png").write_bytes(quarters.read_bytes())
    with open("a.png", "rb") as file:
        done = transform("-", "-o", "a.png", "--overwrite", stdin=file)
    assert done.returncode == 1
    assert (folder / "a.png").read_bytes() == quarters.read_bytes()


def test_of_two_inputs_with_one_name_the_first_has_it(folder, quarters, transform, objects):
    for name in ("x/a.png", "y/a.png"):
        (folder / name).parent.mkdir()
        (folder / name).write_bytes(quarters.read_bytes())
    done = transform("x/a.png", "y/a.png", "-o", "out/", "--json", *SMALL)
    assert done.returncode == 1
    states = {entry["input"]: entry["status"] for entry in objects(done) if "input" in entry}
    assert states == {"x/a.png": "written", "y/a.png": "failed"}


def test_output_that_is_no_folder(folder, photos, transform):
    (folder / "out").write_text("a file")
    done = transform("photos", "-o", "out", *SMALL)
    assert done.returncode == 2
    assert b"'out' is no folder" in done.stderr


def test_a_folder_that_cannot_be_made(folder, quarters, transform):
    (folder / "file").write_text("a file")
    done = transform(quarters, "-o", "file/out.webp")
    assert done.returncode == 1
    assert b"cannot write 'file/out.webp': Not a directory" in done.stderr


def test_a_full_device(folder, quarters, transform):
    done = transform(quarters, "-o", "/dev/full", "--format", "png")
    assert done.returncode == 1
    assert b"cannot write '/dev/full': No space left on device" in done.stderr
    assert os.path.exists("/dev/full")


def test_full_standard_output(folder, quarters):
    with open("/dev/full", "wb") as full:
        done = run("transform", quarters, "-o", "-", stdout=full)
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr


def test_a_full_disk_leaves_nothing_half_written(folder, photos, transform, files):
    """A limit on the size of files stands in for the disk: the write ends in the middle."""
    limit = 4096
    noise = bytes(os.urandom(200 * 200 * 3))
    (photos / "large.png").write_bytes(picture.png(200, 200, lambda x, y: noise[(y * 200 + x) * 3 :][:3]))
    done = transform(
        *["photos", "-o", "out", "--format", "png"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert b"cannot write 'out/large.png': File too large" in done.stderr
    assert b"2 written, 0 skipped, 1 failed" in done.stderr
    assert files(folder / "out") == {"a.png", "b.png"}


def test_a_reader_that_leaves_is_a_failure(folder, quarters):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = run("transform", quarters, "-o", "-", stdout=pipe)
    assert done.returncode == 1
    assert b"Broken pipe" in done.stderr
