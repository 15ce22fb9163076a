"""The folder that the server under test reads: sources for each benchmark, and fresh names for them.

Requests for the same source and parameters are joined or answered from a cache. Where a benchmark is about the work
itself, every request therefore names a source of its own: a hard link to one of the photos, so that the bytes (and the
page cache) are the same and only the name is new.
"""

import itertools
import os
import pathlib
import shutil
import subprocess


class Workspace:
    """Made anew for each run of the harness below the build folder."""

    def __init__(self, folder, samples, corpus_photos):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "fresh").mkdir(parents=True)
        self.uses_corpus = corpus_photos.is_dir()
        photos = sorted(corpus_photos.glob("*.jpg")) if self.uses_corpus else [samples / "photo.jpg"]
        self.photos = [self._copy(photo, f"photos/{photo.name}") for photo in photos]
        self.large = self._copy(samples / "landscape-8k.jpg", "landscape-8k.jpg")
        self.photo = self._copy(samples / "photo.jpg", "photo.jpg")
        self.mixed = self._make_mixed(samples)
        self._numbers = itertools.count()

    def _copy(self, source, key):
        target = self.folder / key
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        return key

    def _make_mixed(self, samples):
        """Small pictures of many kinds; big ones would only make ten thousand requests take longer."""
        keys = [self._copy(samples / name, f"mixed/{name}") for name in ("disc.png", "clock.gif")]
        for name in ("small.jpg", "small.png", "small.webp", "small.tif"):
            subprocess.run(
                ["vips", "thumbnail", samples / "photo.jpg", self.folder / "mixed" / name, "640"], check=True
            )
            keys.append(f"mixed/{name}")
        return keys

    def make_broken(self):
        """Keys of sources that cannot be read: cut short, no picture at all, and not there."""
        (self.folder / "broken").mkdir(exist_ok=True)
        whole = (self.folder / "mixed/small.jpg").read_bytes()
        (self.folder / "broken/short.jpg").write_bytes(whole[: len(whole) // 2])
        (self.folder / "broken/text.jpg").write_text("no picture\n" * 100, encoding="utf-8")
        return ["broken/short.jpg", "broken/text.jpg", "broken/absent.jpg"]

    def fresh(self, count, keys=None):
        """`count` names that were never used before, for `keys` (all photos) in turn."""
        originals = itertools.islice(itertools.cycle(keys or self.photos), count)
        return [self._link(original) for original in originals]

    def _link(self, original):
        key = f"fresh/{next(self._numbers):06d}-{pathlib.PurePath(original).name}"
        os.link(self.folder / original, self.folder / key)
        return key

    def path(self, key):
        return self.folder / key
