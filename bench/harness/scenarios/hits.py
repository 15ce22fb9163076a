"""Finished renditions from the memory cache, next to nginx with the same bytes as files in memory."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from bench import asset
from section import Section, Table, Target
from server import BenchError, NotHere
from spread import Spread

BODY_BYTES = 20_000
CONNECTIONS = 32
START_TIMEOUT = 10.0  # seconds
METHOD = """`wrk` with one thread and {connections} connections asks for one JPEG of about 20 KB over HTTP/1.1 with
keep-alive: optimux has it in its memory cache, nginx (one worker process, as optimux has one I/O thread) as a file in
tmpfs. The two take turns, {rounds} rounds of {seconds} s, once with no line written a request and once with one, into
a file. All share the machine's CPUs. CPU time is that of the server alone."""
NGINX = """daemon off; worker_processes 1; pid {scratch}/nginx-hits.pid; error_log {scratch}/nginx-hits.log;
events {{ worker_connections 512; }}
http {{ access_log {log}; client_body_temp_path {scratch}/nginx-body; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  types {{ image/jpeg jpg; }} server {{ listen 127.0.0.1:{port}; root {folder}; }} }}
"""


def run(bench):
    missing = [tool for tool in ("wrk", "nginx") if not shutil.which(tool, path="/usr/bin:/usr/sbin")]
    if missing:
        raise NotHere(f"not installed: {', '.join(missing)} (Debian wrk, nginx-light)")
    rounds, seconds = bench.pick(7, 1), bench.pick(3, 1)
    measured = {is_logged: compare(bench, is_logged, rounds, seconds) for is_logged in (False, True)}
    return describe(measured, rounds, seconds)


def compare(bench, is_logged, rounds, seconds):
    """Requests a second and CPU time a request of both, by turns."""
    seen = {"optimux": [], "nginx": []}
    options = ("--log-level", "info" if is_logged else "warning")
    with bench.server(*options) as server, tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        target, body = find_rendition(server, bench.workspace.photo)
        pathlib.Path(folder, "body.jpg").write_bytes(body)
        os.chmod(folder, 0o755)
        log = bench.scratch.resolve() / "nginx-hits-access.log" if is_logged else "off"
        with nginx(bench.scratch.resolve(), folder, log) as (port, process):
            for number in range(rounds):
                turns = [
                    ("optimux", server.port, target, server.cpu_seconds),
                    ("nginx", port, "/body.jpg", lambda: cpu_seconds(process)),
                ]
                for name, at, path, cpu in turns if number % 2 else reversed(turns):
                    seen[name].append(load(at, path, cpu, seconds))
    return seen


def find_rendition(server, key):
    """The target and bytes of a rendition of about the size that is wanted."""
    best = None
    for width in range(160, 800, 16):
        target = asset(key, f"sizes={width}x0&format=jpeg")
        status, _, body = server.get(target)
        if status != 200:
            raise BenchError(f"{target} answered {status}")
        if best is None or abs(len(body) - BODY_BYTES) < abs(len(best[1]) - BODY_BYTES):
            best = (target, body)
        if len(body) > BODY_BYTES:
            break
    return best


@contextlib.contextmanager
def nginx(scratch, folder, log):
    """Its port, and the worker's process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = scratch / "nginx-hits.conf"
    config.write_text(NGINX.format(scratch=scratch, folder=folder, log=log, port=port), encoding="utf-8")
    environment = os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin"}
    master = subprocess.Popen(["nginx", "-c", str(config)], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield port, worker_of(master.pid)
    finally:
        master.send_signal(signal.SIGTERM)
        master.wait()


def worker_of(master):
    limit = time.monotonic() + START_TIMEOUT
    while time.monotonic() < limit:
        children = pathlib.Path(f"/proc/{master}/task/{master}/children").read_text(encoding="utf-8").split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    raise BenchError("nginx did not start; see nginx-hits.log")


def cpu_seconds(process):
    return time.clock_gettime(((~process) << 3) | 2)


def load(port, path, cpu, seconds):
    """(requests a second, microseconds of the server's CPU a request)."""
    before = cpu()
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"http://127.0.0.1:{port}{path}"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    used = cpu() - before
    if "Non-2xx" in result.stdout or "Socket errors" in result.stdout:
        raise BenchError(f"wrk saw errors: {result.stdout}")
    requests = int(re.search(r"(\d+) requests in", result.stdout).group(1))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", result.stdout).group(1))
    return rate, used / requests * 1e6


def describe(measured, rounds, seconds):
    part = Section("hits", "Answers from the memory cache, next to nginx", "")
    part.method = METHOD.format(connections=CONNECTIONS, rounds=rounds, seconds=seconds)
    rows = []
    for is_logged, seen in measured.items():
        ratios = Spread([ours[0] / theirs[0] for ours, theirs in zip(seen["optimux"], seen["nginx"])])
        what = "with a line a request" if is_logged else "without a log"
        for name, values in seen.items():
            rates, times = Spread([rate for rate, _ in values]), Spread([time_ for _, time_ in values])
            rows.append([f"{name}, {what}", rates.text(0), times.text(1)])
        part.targets.append(
            Target(f"requests a second over nginx, {what}", ">= 0.7", ratios.text(), ratios.median >= 0.7)
        )
    part.tables = [Table("20 KB bodies.", ["", "requests a second", "µs of CPU a request"], rows)]
    return part
