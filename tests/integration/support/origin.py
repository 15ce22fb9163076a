"""An HTTP origin whose every byte is scripted, and a listener that must never be reached."""

import collections
import contextlib
import socket
import threading
from typing import Callable

from support.waiting import PATIENCE


class Exchange:
    """One request that has reached the origin, and the socket to answer it on."""

    def __init__(self, origin: "Origin", connection: socket.socket, path: str, headers: dict[str, str]):
        self.origin, self.connection, self.path, self.headers = origin, connection, path, headers

    def send(self, data: bytes):
        self.connection.sendall(data)

    def answer(self, body: bytes = b"", status: str = "200 OK", content_type: str = "image/jpeg", **headers: str):
        fields = {"Content-Type": content_type, "Content-Length": str(len(body))}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        self.send_head(status, fields)
        self.send(body)

    def send_head(self, status: str, fields: dict[str, str]):
        lines = [f"HTTP/1.1 {status}"] + [f"{name}: {value}" for name, value in fields.items()]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def close(self):
        """The answer ends here, whole or not."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def wait_for_client_to_leave(self):
        """Holds the exchange until the client has given up, or the origin ends."""
        self.connection.settimeout(PATIENCE)
        with contextlib.suppress(OSError):
            while self.connection.recv(65536):
                pass


Script = Callable[[Exchange], None]


class Origin:
    """Serves what `serve` was told, on keep-alive connections, each in a thread of its own; everything else is 404.

    Scripts run in those threads. One that ends early by closing its exchange ends the connection.
    """

    def __init__(self, host: str = "127.0.0.2", port: int = 0):
        self._listener = socket.create_server((host, port), backlog=512)
        self.host, self.port = self._listener.getsockname()
        self._lock = threading.Lock()
        self._scripts: dict[str, Script] = {}
        self._hits: collections.Counter[str] = collections.Counter()
        self._connections: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def url(self, path: str) -> str:
        return f"http://{self.host}:{self.port}{path}"

    def serve(self, path: str, script: Script) -> str:
        """Answers `path` (as it stands in the request line) with `script`; returns its URL."""
        with self._lock:
            self._scripts[path] = script
        return self.url(path)

    def serve_bytes(self, path: str, body: bytes, content_type: str = "image/jpeg", **headers: str) -> str:
        return self.serve(path, lambda exchange: exchange.answer(body, content_type=content_type, **headers))

    def redirect(self, path: str, location: str, status: str = "302 Found") -> str:
        return self.serve(path, lambda exchange: exchange.answer(b"", status, Location=location))

    def hits(self, path: str | None = None) -> int:
        with self._lock:
            return self._hits.total() if path is None else self._hits[path]

    def close(self):
        with self._lock:
            open_connections = list(self._connections)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in open_connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE)
                with self._lock:
                    self._connections.add(connection)
                threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket):
        with contextlib.suppress(OSError), connection:
            pending = b""
            while True:
                while b"\r\n\r\n" not in pending:
                    part = connection.recv(65536)
                    if not part:
                        break
                    pending += part
                head, separator, pending = pending.partition(b"\r\n\r\n")
                if not separator:
                    break
                self._answer(connection, head.decode("latin-1"))
        with self._lock:
            self._connections.discard(connection)

    def _answer(self, connection: socket.socket, head: str):
        request_line, *lines = head.split("\r\n")
        path = request_line.split(" ")[1]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        with self._lock:
            self._hits[path] += 1
            script = self._scripts.get(path)
        exchange = Exchange(self, connection, path, headers)
        if script is None:
            exchange.answer(b"nothing here", "404 Not Found", "text/plain")
        else:
            script(exchange)


class Canary:
    """A listener on all loopback addresses that must never be connected to; counts who did."""

    def __init__(self):
        self._first = socket.create_server(("127.0.0.1", 0))
        self.port = self._first.getsockname()[1]
        self._listeners = [self._first]
        with contextlib.suppress(OSError):
            self._listeners.append(socket.create_server(("::1", self.port), family=socket.AF_INET6))
        self._lock = threading.Lock()
        self._hits = 0
        for listener in self._listeners:
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    @property
    def hits(self) -> int:
        with self._lock:
            return self._hits

    def _accept(self, listener: socket.socket):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with self._lock:
                    self._hits += 1
                with connection:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncanary")
