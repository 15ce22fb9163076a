"""The files that tests ask for: those of the samples, some made here, and the corpus where it is."""

import os
import pathlib
import shutil

import pytest

from support import picture

HERE = pathlib.Path(__file__).resolve()
PROJECT = HERE.parents[3]
SAMPLES = pathlib.Path(os.environ.get("OPTIMUX_SAMPLES", PROJECT / "media"))
CORPUS = pathlib.Path(os.environ.get("OPTIMUX_CORPUS", PROJECT.parent / "shared" / "corpus"))

# The names that `make_root` makes.
PHOTO, DISC, CLOCK, CLIP = "photo.jpg", "disc.png", "clock.gif", "clip.mp4"
QUARTERS_PNG, QUARTERS_JPEG = "quarters.png", "quarters.jpg"


def make_root(folder: pathlib.Path) -> pathlib.Path:
    """Fills a folder to be the store of a server: a 12-megapixel photo, alpha, an animation, four coloured quarters."""
    folder.mkdir()
    for name in (PHOTO, DISC, CLOCK, CLIP):
        assert (SAMPLES / name).exists(), f"{SAMPLES / name} is missing; samples/make_samples.sh makes it"
        shutil.copyfile(SAMPLES / name, folder / name)
    (folder / QUARTERS_PNG).write_bytes(picture.quarters_png())
    picture.vips("jpegsave", folder / QUARTERS_PNG, folder / QUARTERS_JPEG, "--Q", 95, "--strip")
    return folder


def corpus_files(*folders: str) -> list:
    """The files of parts of the corpus as test parameters; where there is none, one that is skipped and says why."""
    found = [file for folder in folders for file in sorted((CORPUS / folder).glob("*"))]
    if not found:
        reason = f"no corpus at {CORPUS}; OPTIMUX_CORPUS names another place"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no-corpus")]
    return [pytest.param(file, id=f"{file.parent.name}/{file.name}") for file in found]
