"""What every benchmark is given: where things are, and how servers and loads are started."""

import contextlib
import json
import os
import pathlib
import subprocess

from load import Load
from server import BenchError, Server
from workspace import Workspace

PROGRAMS = (
    "optimux",
    "optimux_load",
    "bare_vips",
    "executor_loop",
    "base_bench",
    "http_bench",
    "scheduler_bench",
    "service_bench",
    "optimux-pool-bench",
    "optimux-pool-coroutine-bench",
)


class Bench:
    def __init__(self, root, build, quick, minutes=None):
        self.quick = quick
        self.minutes = minutes  # of the benchmarks that take as long as one likes; None: as long as they do by default
        self.build = pathlib.Path(build)
        self.bin = self.build / "bin"
        self.scratch = self.build / "bench-scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        missing = [name for name in PROGRAMS if not (self.bin / name).exists()]
        if missing:
            raise BenchError(f"not built: {', '.join(missing)}")
        self.corpus = pathlib.Path(os.environ.get("OPTIMUX_CORPUS", root / ".." / "shared" / "corpus"))
        self.workspace = Workspace(self.build / "bench-media", root / "media", self.corpus / "photos")
        self.cpus = len(os.sched_getaffinity(0))

    def pick(self, full, quick):
        """A size of the benchmark: the full one, or that of a quick check."""
        return quick if self.quick else full

    def server(self, *options):
        """A context that runs a server with its default settings and `options`.

        A quick check has to pass on a machine that is busy with other things: it gives requests more time.
        """
        if self.quick:
            options = ("--request-deadline", "2m", *options)
        return Server(self.bin / "optimux", self.workspace.folder, self.scratch / "server.log", options)

    def start_load(self, server, targets, name="load", **options):
        return Load(self.bin / "optimux_load", self.scratch, name, server.port, targets, **options)

    def load(self, server, targets, **options):
        """Runs the load to its end: `connections`, `requests`, `duration` (ms), `rate` (a second), `timeout` (ms)."""
        return self.start_load(server, targets, **options).result()

    def loop(self, program, keys, renditions, **options):
        """Runs `bare_vips` or `executor_loop` in as many threads as CPUs; the JSON that it prints."""
        command = [str(self.bin / program), "--renditions", str(renditions), "--threads", str(self.cpus)]
        for key, value in options.items():
            command += [f"--{key}", str(value)]
        command += [str(self.workspace.path(key)) for key in keys]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise BenchError(f"{program}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    @contextlib.contextmanager
    def warm_server(self, *options):
        """As `server`, after one rendition for each worker, so that libraries are loaded and set up."""
        with self.server(*options) as server:
            targets = [asset(key, "sizes=300x0&format=webp&quality=60") for key in self.workspace.fresh(4 * self.cpus)]
            self.load(server, targets, connections=2 * self.cpus, requests=len(targets)).require(200)
            yield server


def asset(key, parameters):
    """The request target of a rendition of a source in the server's folder."""
    return f"/optimux/assets/{key}?{parameters}"
