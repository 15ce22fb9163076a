"""What can be given to `optimux transform`, and what is said of inputs that cannot be read."""

import os
import subprocess

import pytest

from support import picture
from support.origin import Canary, Origin
from support.server import BINARY

SMALL = ["--sizes", "40x0", "--format", "webp"]


def test_a_file(folder, quarters, transform):
    done = transform(quarters, "-o", "out.webp", "--sizes", "40x0")
    assert done.returncode == 0, done.stderr
    assert picture.Picture.load("out.webp").size == (40, 30)
    assert picture.format_of((folder / "out.webp").read_bytes()) == "webp"
    assert done.stderr.startswith(b"1 written, 0 skipped, 0 failed; ")


def test_a_folder_stands_for_its_pictures(folder, photos, transform, files):
    done = transform("photos", "-o", "out", *SMALL)
    assert done.returncode == 0, done.stderr
    assert files(folder / "out") == {"a.webp", "b.webp"}
    assert b"1 file that is no image by its name passed over" in done.stderr


def test_recursion_keeps_the_structure(folder, photos, transform, files):
    assert transform("photos", "-r", "-o", "out", *SMALL).returncode == 0
    assert files(folder / "out") == {"a.webp", "b.webp", "below/c.webp"}


def test_an_output_folder_inside_the_input_is_not_read_again(folder, photos, transform, files):
    for _ in range(2):
        assert transform("photos", "-r", "-o", "photos/small", "--overwrite", *SMALL).returncode == 0
    assert files(photos / "small") == {"a.webp", "b.webp", "below/c.webp"}


def test_results_may_lie_beside_their_inputs(folder, photos, transform, files):
    before = files(photos)
    assert transform("photos", "-r", "-o", "photos", *SMALL).returncode == 0
    assert files(photos) == before | {"a.webp", "b.webp", "below/c.webp"}
    again = transform("photos", "-r", "-o", "photos/.", "--skip-existing", *SMALL)
    assert (again.returncode, again.stderr[:31]) == (0, b"0 written, 3 skipped, 0 failed;")
    (folder / "done").mkdir()
    (folder / "done/a.webp").write_bytes((photos / "a.webp").read_bytes())
    nothing = transform("done", "-o", "done", *SMALL)
    assert nothing.returncode == 1
    assert b"but what is named like a result of this format" in nothing.stderr


def test_a_folder_without_pictures_is_a_failure(folder, transform):
    (folder / "empty").mkdir()
    done = transform("empty", "-o", "out", *SMALL)
    assert (done.returncode, done.stderr) == (1, b"optimux: there is no image in these folders\n")


def test_a_pipe(folder, quarters, transform):
    with open(quarters, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        done = transform("-", "-o", "-", "--sizes", "40x0", "--format", "png", stdin=cat.stdout)
    assert done.returncode == 0, done.stderr
    assert picture.Picture.read(done.stdout).size == (40, 30)


def test_a_named_pipe(folder, quarters, transform):
    os.mkfifo("pipe")
    with subprocess.Popen(f"cat {quarters} > pipe", shell=True):
        done = transform("pipe", "-o", "out.png", "--sizes", "40x0")
    assert done.returncode == 0, done.stderr
    assert picture.Picture.load("out.png").size == (40, 30)


@pytest.mark.parametrize(
    "name, said",
    [
        ("missing.jpg", "cannot read 'missing.jpg': No such file or directory"),
        ("dangling.jpg", "cannot read 'dangling.jpg': No such file or directory"),
        ("n" * 300, "File name too long"),
        ("empty.jpg", "empty.jpg: "),
        ("text.jpg", "text.jpg: "),
        ("half.png", "half.png: "),
    ],
)
def test_an_input_that_cannot_be_read_fails_alone(folder, quarters, transform, files, name, said):
    os.symlink("nowhere", "dangling.jpg")
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "text.jpg").write_text("this is no picture")
    (folder / "half.png").write_bytes(quarters.read_bytes()[:600])
    done = transform(name, quarters, "-o", "out/", *SMALL)
    assert done.returncode == 1
    assert said in done.stderr.decode()
    assert "1 written, 0 skipped, 1 failed" in done.stderr.decode()
    assert files(folder / "out") == {"quarters.webp"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(folder, quarters, transform):
    (folder / "secret.png").write_bytes(quarters.read_bytes())
    (folder / "secret.png").chmod(0)
    done = transform("secret.png", "-o", "out.webp")
    assert done.returncode == 1
    assert b"cannot read 'secret.png': Permission denied" in done.stderr


def test_a_source_over_the_limit(folder, quarters, transform):
    done = transform(quarters, "-o", "out.webp", "--max-source-bytes", "100")
    assert done.returncode == 1
    assert b"max_source_bytes" in done.stderr
    assert not (folder / "out.webp").exists()


def test_an_endless_source_ends_at_the_limit(folder, transform):
    done = transform("/dev/zero", "-o", "out.webp", "--max-source-bytes", "1MiB")
    assert done.returncode == 1
    assert b"max_source_bytes" in done.stderr


def test_a_url_of_an_allowed_origin(folder, quarters, transform, files):
    with Origin("127.0.0.2") as origin:
        url = origin.serve_bytes("/a%20b/c%2Fd.png?x=1", quarters.read_bytes(), "image/png")
        done = transform(url, "-o", "out/", "--allow-source", "127.0.0.2", *SMALL)
    assert done.returncode == 0, done.stderr
    assert files(folder / "out") == {"c_d.webp"}


def test_a_url_of_this_machine_is_refused_unless_allowed(folder, transform):
    with Canary() as canary:
        done = transform(f"http://127.0.0.1:{canary.port}/a.png", "-o", "out.webp")
        assert canary.hits == 0
    assert done.returncode == 1
    assert not (folder / "out.webp").exists()


def test_a_url_that_cannot_be_parsed(folder, transform):
    done = transform("http://user:word@host/a.png", "-o", "out.webp")
    assert done.returncode == 1
    assert b"user:word" in done.stderr  # The input is named as it was given.


def test_the_memory_in_use_does_not_grow_with_the_number_of_inputs(folder, quarters):
    """Sources are read a few at a time: 400 of 1 MiB do not fit into the limit."""
    (folder / "many").mkdir()
    padded = quarters.read_bytes() + bytes(1 << 20)
    for number in range(400):
        (folder / "many" / f"{number}.png").write_bytes(padded)
    command = ["/usr/bin/env", "bash", "-c", 'ulimit -v $((900*1024)); exec "$@"', "-", BINARY]
    done = subprocess.run(
        [*command, "transform", "many", "-o", "out", "--image-workers-max", "2", *SMALL],
        capture_output=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    assert b"400 written" in done.stderr
