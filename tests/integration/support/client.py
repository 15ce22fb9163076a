"""A strict HTTP/1.1 client on bare sockets: sends whatever bytes a test wants, accepts only well-formed answers."""

import dataclasses
import json
import re
import socket
import ssl
import time
import urllib.parse

from support.waiting import PATIENCE

_STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) ([\t\x20-\x7e]*)")
_FIELD_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_NO_CONTROL = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


class Malformed(Exception):
    """The peer's bytes are not a valid answer."""


class Truncated(Exception):
    """The connection ended before the answer did."""


@dataclasses.dataclass
class Response:
    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes = b""
    seconds: float = 0.0  # From the request's last byte to the answer's last one.

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name: str) -> str | None:
        """The value of a field that may stand there once at most."""
        values = self.all(name)
        assert len(values) <= 1, f"{name} is there {len(values)} times: {values}"
        return values[0] if values else None

    def json(self):
        return json.loads(self.body)

    def problem(self) -> dict:
        """The error document; checks that it is one, whole and consistent with the status line."""
        assert self.header("Content-Type") == "application/problem+json", (self.status, self.headers, self.body[:200])
        document = self.json()
        assert document.keys() >= {"type", "title", "status", "detail", "request_id"}, document
        assert document["status"] == self.status
        assert document["request_id"] == self.header("X-Request-Id")
        return document


class Connection:
    """One connection to a server. `address` is (host, port), or the path of a Unix socket. With `tls` its handshake is
    done at once, and an end without notice is an error (ssl.SSLError)."""

    def __init__(
        self,
        address,
        timeout: float = PATIENCE,
        receive_buffer: int | None = None,
        tls: ssl.SSLContext | None = None,
        session: ssl.SSLSession | None = None,
    ):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        if tls is not None:
            self.socket = tls.wrap_socket(
                self.socket, server_hostname="localhost", session=session, suppress_ragged_eofs=False
            )
        self._buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection with a RST instead of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def request(self, method: str, target: str, headers: dict | None = None, body: bytes | None = None) -> Response:
        self.send(encode_request(method, target, headers, body))
        return self.receive(method)

    def get(self, target: str, **headers: str) -> Response:
        return self.request("GET", target, {name.replace("_", "-"): value for name, value in headers.items()})

    def receive(self, method: str = "GET") -> Response:
        """Reads one final answer whole; interim ones (100) are passed over."""
        started = time.monotonic()
        response = self.receive_head()
        while response.status == 100:
            response = self.receive_head()
        response.body = self._receive_body(response, method)
        response.seconds = time.monotonic() - started
        return response

    def receive_head(self) -> Response:
        lines = self._take_until(b"\r\n\r\n")[:-4].split(b"\r\n")
        match = _STATUS_LINE.fullmatch(lines[0])
        if not match:
            raise Malformed(f"status line {lines[0]!r}")
        return Response(int(match[1]), match[2].decode(), [_parse_field(line) for line in lines[1:]])

    def at_end(self) -> bool:
        """Whether the peer has closed and sent nothing more. Waits for either."""
        if self._buffer:
            return False
        try:
            self._buffer += self.socket.recv(65536)
        except ConnectionResetError:
            return True
        return not self._buffer

    def read_some(self, count: int = 65536) -> bytes:
        """At most `count` bytes as they come, buffered ones first; empty at the end."""
        if not self._buffer:
            return self.socket.recv(count)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _receive_body(self, response: Response, method: str) -> bytes:
        if method == "HEAD" or response.status in (204, 304) or response.status < 200:
            return b""
        length, coding = response.header("Content-Length"), response.header("Transfer-Encoding")
        if length is not None and coding is not None:
            raise Malformed("both Content-Length and Transfer-Encoding")
        if coding is not None:
            if coding != "chunked":
                raise Malformed(f"Transfer-Encoding {coding}")
            return self._receive_chunks()
        if length is not None:
            if not re.fullmatch("[0-9]+", length):
                raise Malformed(f"Content-Length {length}")
            return self._take(int(length))
        if response.header("Connection") != "close":
            raise Malformed("a body without a length on a connection that stays open")
        return self._receive_until_end()

    def _receive_until_end(self) -> bytes:
        data = bytearray()
        while part := self.read_some():
            data += part
        return bytes(data)

    def _receive_chunks(self) -> bytes:
        body = bytearray()
        while True:
            line = self._take_until(b"\r\n")[:-2]
            if not re.fullmatch(rb"[0-9A-Fa-f]+", line):
                raise Malformed(f"chunk size {line!r}")
            size = int(line, 16)
            body += self._take(size)
            if self._take(2) != b"\r\n":
                raise Malformed("no CRLF after a chunk")
            if size == 0:
                return bytes(body)

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._fill()
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _take_until(self, mark: bytes) -> bytes:
        while (end := self._buffer.find(mark)) < 0:
            self._fill()
        return self._take(end + len(mark))

    def _fill(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise Truncated(f"end of connection after {bytes(self._buffer[:200])!r}")
        self._buffer += part


def _parse_field(line: bytes) -> tuple[str, str]:
    name, colon, value = line.partition(b":")
    if not colon or not _FIELD_NAME.fullmatch(name) or not _NO_CONTROL.fullmatch(value):
        raise Malformed(f"header line {line!r}")
    return name.decode(), value.strip(b" \t").decode("utf-8")


def encode_request(method: str, target: str, headers: dict | None = None, body: bytes | None = None) -> bytes:
    fields = {"Host": "localhost"}
    if body is not None:
        fields["Content-Length"] = str(len(body))
    fields.update(headers or {})
    lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + (body or b"")


def fetch(
    address, method: str, target: str, headers: dict | None = None, body: bytes | None = None, timeout: float = PATIENCE
) -> Response:
    """One request on a connection of its own."""
    with Connection(address, timeout) as connection:
        return connection.request(method, target, headers, body)


def query(parameters: dict) -> str:
    return urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote, safe="")


def resize(image_url: str, **parameters) -> str:
    """The target of a rendition of an image anywhere."""
    return "/resize?" + query({"image_url": image_url, **parameters})


def asset(key: str | bytes, **parameters) -> str:
    """The target of a rendition of an image of the default store."""
    path = "/optimux/assets/" + urllib.parse.quote(key, safe="/")
    return path + ("?" + query(parameters) if parameters else "")
