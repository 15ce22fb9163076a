"""The server under test as a child process, and what can be read of it from outside."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.parse

START_TIMEOUT = 20.0  # seconds
STOP_TIMEOUT = 40.0  # seconds; longer than the server's own drain_timeout


class BenchError(Exception):
    """A benchmark could not be carried out: nothing that a slow machine causes."""


class NotHere(BenchError):
    """The machine lacks what a benchmark needs: left out, unless it was asked for by name."""


class Server:
    """Runs while used as a context. Listens on free ports of 127.0.0.1."""

    def __init__(self, binary, root, log, options=()):
        command = [
            str(binary),
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin",
            "127.0.0.1:0",
            "--root",
            str(root),
            *options,
        ]
        self._log = open(log, "wb")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        self.port, self.admin_port = self._wait_until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _wait_until_ready(self):
        ports = {}
        limit = time.monotonic() + START_TIMEOUT
        while {"listening", "admin"} - ports.keys():
            line = self._process.stdout.readline()
            if not line or time.monotonic() > limit:
                self._process.kill()
                raise BenchError(f"the server did not start; see {pathlib.Path(self._log.name).name}")
            word, _, url = line.strip().partition(" ")
            ports[word] = urllib.parse.urlsplit(url).port
        return ports["listening"], ports["admin"]

    def stop(self):
        """Drains. A server that does not end by itself, or not with 0, is an error."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = "none: it had to be killed"
        self._process.stdout.close()
        self._log.close()
        if code != 0:
            raise BenchError(f"the server ended with exit code {code}")

    def cpu_seconds(self):
        """User and system time of all threads so far, those that have ended included.

        The process's CPU clock (clock_getcpuclockid(3)) counts in nanoseconds what /proc/PID/stat shows in hundredths.
        """
        return time.clock_gettime(((~self._process.pid) << 3) | 2)

    def thread_cpu_seconds(self):
        """CPU seconds by thread name, of the threads that live now."""
        seconds = {}
        for task in pathlib.Path(f"/proc/{self._process.pid}/task").iterdir():
            name = (task / "comm").read_text().strip()
            nanoseconds = int((task / "schedstat").read_text().split()[0])
            seconds[name] = seconds.get(name, 0.0) + nanoseconds / 1e9
        return seconds

    def memory(self):
        """(resident now, highest resident so far), in MiB."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))

    def get(self, target, admin=False):
        """(status, headers, body) of one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port if admin else self.port, timeout=30)
        try:
            connection.request("GET", target)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def idle_image_pool(self, seconds):
        """The image pool once it has nothing to do, or as it still is after so many seconds."""
        limit = time.monotonic() + seconds
        while True:
            pool = self.image_pool()
            if (pool["queue_depth"] == 0 and pool["in_flight"] == 0) or time.monotonic() > limit:
                return pool
            time.sleep(0.05)

    def image_pool(self):
        """The image pool as the admin listener shows it."""
        status, _, body = self.get("/pools", admin=True)
        if status != 200:
            raise BenchError(f"GET /pools answered {status}")
        pools = json.loads(body)
        pools = pools.get("pools", pools) if isinstance(pools, dict) else pools
        return next(pool for pool in pools if pool["name"] == "image")
