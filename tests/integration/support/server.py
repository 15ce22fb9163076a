"""The real binary, run as a user would run it."""

import itertools
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading

from support import client, exposition
from support.waiting import PATIENCE, eventually

BINARY = os.environ.get("OPTIMUX_BINARY", "optimux")

_fresh = itertools.count()


class Optimux:
    """A running `optimux serve`. As a context manager it must end with exit code 0 on SIGTERM.

    `options` become flags: `header_timeout="200ms"` is `--header-timeout 200ms`, a list repeats the flag, None leaves
    it out.
    """

    def __init__(
        self,
        root: pathlib.Path | None,
        log: pathlib.Path,
        environment: dict | None = None,
        prefix: list | None = None,
        process_options: dict | None = None,
        **options,
    ):
        settings = {"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", "root": root} | options
        self.log = log
        self._log_file = log.open("ab")
        self.process = subprocess.Popen(
            [*(prefix or []), BINARY, "serve", *_flags(settings)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log_file,
            env={**_clean_environment(), **(environment or {})},
            text=True,
            **(process_options or {}),
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read_lines, daemon=True).start()
        self.urls: list[str] = []
        self.admin: tuple[str, int] | None = None
        self._await_ready()
        self.address = self.addresses[0]

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        code = self.terminate()
        if failure is None:
            assert code == 0, f"exit code {code}\n{self.read_log()[-4000:]}"

    # What it says.

    @property
    def addresses(self) -> list:
        """Public addresses, as `Connection` takes them."""
        return [_address_of(url) for url in self.urls]

    @property
    def tls_address(self):
        """The first address that speaks TLS."""
        return next(_address_of(url) for url in self.urls if url.startswith("https:"))

    def read_log(self) -> str:
        return self.log.read_text("utf-8", "replace")

    # Requests.

    def connect(self, **options) -> client.Connection:
        return client.Connection(self.address, **options)

    def request(
        self,
        method: str,
        target: str,
        headers: dict | None = None,
        body: bytes | None = None,
        timeout: float = PATIENCE,
    ) -> client.Response:
        return client.fetch(self.address, method, target, headers, body, timeout)

    def get(self, target: str, **headers: str) -> client.Response:
        return self.request("GET", target, {name.replace("_", "-"): value for name, value in headers.items()})

    def ask_admin(self, method: str, target: str, body: bytes | None = None) -> client.Response:
        return client.fetch(self.admin, method, target, None, body)

    # What can be seen from outside.

    def metrics(self) -> exposition.Metrics:
        return exposition.parse(self.ask_admin("GET", "/metrics").body.decode())

    def image_pool(self) -> dict:
        pools = self.ask_admin("GET", "/pools").json()
        return next(pool for pool in pools["pools"] if pool["name"] == "image")

    def requests_in_flight(self) -> int:
        """Connections on which a request is being answered."""
        return int(self.metrics().value("optimux_http_connections", state="busy"))

    def renders(self) -> int:
        """Jobs of the image pool that ran to an end since the start; waits for those that run."""
        self.await_idle()
        return int(self.metrics().value("optimux_renders_total"))

    def await_idle(self):
        """Waits until no job runs or waits, and checks that the pool is as it should be."""
        pool = eventually(
            lambda: (pool := self.image_pool())["in_flight"] == pool["queue_depth"] == 0 and pool, "the pool is idle"
        )
        assert 0 <= pool["total"] <= pool["workers_max"], pool
        eventually(lambda: self.metrics().value("optimux_renditions_in_flight") == 0, "no rendition is in the making")
        assert self.metrics().value("optimux_decoded_bytes_in_use") == 0

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def assert_unharmed(self):
        """After whatever was done to it: alive, idle, and the next normal request is answered."""
        assert self.is_alive(), f"exit code {self.process.returncode}\n{self.read_log()[-4000:]}"
        response = self.get(unused_rendition())
        assert response.status == 200, (response.status, response.body[:500])
        self.await_idle()

    # Its end.

    def signal(self, number: signal.Signals):
        self.process.send_signal(number)

    def wait(self, timeout: float = PATIENCE) -> int:
        code = self.process.wait(timeout)
        self._log_file.close()
        return code

    def terminate(self) -> int:
        """SIGTERM, and the exit code; kills what does not end by itself."""
        if self.is_alive():
            self.signal(signal.SIGTERM)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.wait()
            raise AssertionError(f"does not end on SIGTERM\n{self.read_log()[-4000:]}") from None

    def _read_lines(self):
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _await_ready(self):
        while self.admin is None:
            line = self._lines.get(timeout=PATIENCE)
            if line is None:
                raise AssertionError(f"ended before it was ready: {self.process.wait(PATIENCE)}\n{self.read_log()}")
            kind, _, url = line.partition(" ")
            if kind == "listening":
                self.urls.append(url)
            elif kind == "admin":
                self.admin = _address_of(url)


def unused_rendition() -> str:
    """The target of a small rendition that nobody has asked for yet."""
    number = next(_fresh)
    return client.asset("quarters.png", sizes=f"{20 + number // 100}x0", format="jpeg", quality=1 + number % 100)


def run_optimux(*arguments, **options) -> subprocess.CompletedProcess:
    """Runs a subcommand to its end; output as bytes."""
    return subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, env=_clean_environment(), timeout=120, **options
    )


def memory_of(process: subprocess.Popen) -> int:
    """Resident bytes."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024


def _clean_environment() -> dict:
    return {name: value for name, value in os.environ.items() if not name.startswith(("OPTIMUX_", "LISTEN_"))}


def _flags(settings: dict) -> list[str]:
    flags = []
    for name, value in settings.items():
        for item in value if isinstance(value, list) else [] if value is None else [value]:
            flags.append(f"--{name.replace('_', '-')}={_text_of(item)}")
    return flags


def _text_of(value) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _address_of(url: str):
    if url.startswith("unix:"):
        return url.removeprefix("unix:")
    host, port = re.fullmatch(r"https?://(.+):(\d+)", url).groups()
    return host.strip("[]"), int(port)
