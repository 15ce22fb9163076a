"""`optimux transform` gives byte for byte what the server gives."""

import itertools

import pytest

from support import client, media
from support.server import run_optimux

SAMPLES = [media.PHOTO, media.DISC, media.CLOCK, media.QUARTERS_JPEG, media.QUARTERS_PNG]
PARAMETERS = [
    {"sizes": "300x0", "format": "webp", "quality": "60"},
    {"sizes": "120x90", "fit": "cover", "gravity": "north", "format": "jpeg", "progressive": "true"},
    {"sizes": "100x100", "fit": "contain", "background": "ff8800", "format": "png", "rotate": "90"},
    {"sizes": "80x0", "format": "avif", "quality": "50"},
]


def transform(file, parameters: dict, output) -> bytes:
    arguments = itertools.chain.from_iterable(
        (f"--{name.replace('_', '-')}", value) for name, value in parameters.items()
    )
    done = run_optimux("transform", file, "-o", output, *arguments)
    assert done.returncode == 0, done.stderr.decode()
    return output.read_bytes()


@pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda parameters: parameters["format"])
@pytest.mark.parametrize("name", SAMPLES)
def test_sample(server, root, tmp_path, name, parameters):
    response = server.get(client.asset(name, **parameters))
    assert response.status == 200, response.body[:300]
    assert transform(root / name, parameters, tmp_path / f"out.{parameters['format']}") == response.body


@pytest.mark.parametrize("file", media.corpus_files("photos", "odd"))
def test_corpus(server, origin, tmp_path, file):
    response = server.get(client.resize(origin.serve_bytes(f"/{file.name}", file.read_bytes()), **PARAMETERS[0]))
    if response.status == 200:
        assert transform(file, PARAMETERS[0], tmp_path / "out.webp") == response.body
    else:
        done = run_optimux("transform", file, "-o", tmp_path / "out.webp", "--sizes", "300x0", "--format", "webp")
        assert done.returncode != 0
        assert not (tmp_path / "out.webp").exists()


def test_standard_input_to_standard_output(server, root):
    expected = server.get(client.asset(media.QUARTERS_JPEG, sizes="90x0", format="png")).body
    with (root / media.QUARTERS_JPEG).open("rb") as stdin:
        done = run_optimux("transform", "-", "-o", "-", "--sizes", "90x0", "--format", "png", stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == expected
