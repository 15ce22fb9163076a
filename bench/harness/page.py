"""A page of progressive JPEGs: how optimux is asked for each, the same bytes as files for others, and their phases."""

import json
import shutil
import subprocess

import h2_servers
from page_load import PHASES
from server import BenchError

PARAMETERS = "sizes={width}x0&format=jpeg&progressive=true&quality=80"


class Page:
    def __init__(self, bench, count):
        self.bench = bench
        self.folder = bench.scratch / "page"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.names, self.targets = [], {}
        for number, key in enumerate(bench.workspace.fresh(count)):
            width = 640 + 8 * (number % 32)
            name = f"{number:03d}.jpg"
            self._finish(bench.workspace.path(key), width, self.folder / name)
            self.names.append(name)
            self.targets[name] = f"/optimux/assets/{key}?" + PARAMETERS.format(width=width)
        self.cuts = dict(zip(self.names, self._inspect()))

    def _finish(self, source, width, target):
        options = ["--sizes", f"{width}x0", "--format", "jpeg", "--progressive", "--quality", "80"]
        call([self.bench.bin / "optimux", "transform", source, "-o", target, *options])

    def _inspect(self):
        lines = call([self.bench.bin / "optimux", "inspect", "--json", *(self.folder / name for name in self.names)])
        return [cuts_of(json.loads(line)) for line in lines.splitlines()]

    def ours(self, host, policy, certificate=None):
        """optimux with one of its policies, to be run at `host`."""
        return h2_servers.optimux(
            policy, self.bench.bin / "optimux", host, self.bench.workspace.folder, self.targets, certificate
        )

    def others(self, certificate=None):
        """Those that are installed, and the names of those that are not."""
        return h2_servers.others(self.folder, self.bench.scratch, certificate)


def cuts_of(picture):
    """Offsets of the ends of the phases, in order."""
    ends = {phase["phase"]: phase["end"] for phase in picture["phases"]}
    return [ends[phase] for phase in PHASES]


def call(command, content=None):
    """Runs `command` with `content` as its input; what it prints."""
    result = subprocess.run([str(c) for c in command], input=content, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{command[0]}: {result.stderr.strip()[-300:]}")
    return result.stdout
