"""The commands of the binary, run as a user would run them, in a folder of their own."""

import json
import subprocess

import pytest

from cli.command import run
from support import picture


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder of the test: empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def quarters(tmp_path_factory):
    """A PNG of 400 x 300 pixels: four quarters in four colours."""
    path = tmp_path_factory.mktemp("quarters") / "quarters.png"
    path.write_bytes(picture.quarters_png())
    return path


@pytest.fixture
def photos(folder, quarters):
    """A folder of three pictures, one of them below, and a file that is none."""
    for name in ("photos/a.png", "photos/b.png", "photos/below/c.png"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(quarters.read_bytes())
    (folder / "photos/notes.txt").write_text("no picture")
    return folder / "photos"


@pytest.fixture
def transform():
    def run_transform(*arguments, **options) -> subprocess.CompletedProcess:
        return run("transform", *arguments, **options)

    return run_transform


@pytest.fixture
def files():
    """All files below a folder, relative to it, hidden ones included."""

    def below(path) -> set[str]:
        return {str(file.relative_to(path)) for file in path.rglob("*") if not file.is_dir()}

    return below


@pytest.fixture
def objects():
    """The JSON objects, one a line, that a command has printed."""

    def parse(done: subprocess.CompletedProcess) -> list[dict]:
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    return parse
