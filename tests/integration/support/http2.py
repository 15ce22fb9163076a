"""An HTTP/2 client on bare sockets: python3-h2 for what is lawful, and whatever frames a test wants beside it."""

import dataclasses
import socket
import struct

import h2.config
import h2.connection
import h2.events
import h2.settings

from support.waiting import PATIENCE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
PRIORITY_UPDATE = 0x10
PROTOCOL_ERROR, ENHANCE_YOUR_CALM = 0x1, 0xB
FRAME = 16_384  # Bytes of the largest payload.


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def bare_get(stream: int, flags: int = 5) -> bytes:
    """`GET /` in one frame, from the static table alone."""
    return frame(HEADERS, flags, stream, b"\x82\x86\x84\x41\x01x")


@dataclasses.dataclass
class Response:
    status: int = 0
    headers: dict = dataclasses.field(default_factory=dict)
    body: bytes = b""
    is_ended: bool = False
    reset: int | None = None


class Http2Connection:
    """One connection to a server, by prior knowledge."""

    def __init__(self, address, initial_window: int = 1 << 20, opens_windows: bool = True):
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.h2.local_settings = h2.settings.Settings(
            client=True, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: initial_window}
        )
        self.h2.initiate_connection()
        if opens_windows:
            self.h2.increment_flow_control_window(1 << 28)
        self.opens_windows = opens_windows
        self.responses: dict[int, Response] = {}
        self.goaway: int | None = None
        self.is_closed = False
        self.order: list[int] = []  # Streams of the DATA frames, as they came.
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        self.send(self.h2.data_to_send())

    def send(self, data: bytes):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self.is_closed = True

    def request(self, method: str, path: str, headers: dict | None = None, body: bytes | None = None) -> int:
        stream = self.h2.get_next_available_stream_id()
        fields = [(":method", method), (":scheme", "http"), (":authority", "localhost"), (":path", path)]
        self.responses[stream] = Response()
        self.h2.send_headers(stream, fields + list((headers or {}).items()), end_stream=body is None)
        if body is not None:  # No longer than the window is at first.
            for begin in range(0, max(len(body), 1), FRAME):
                self.h2.send_data(stream, body[begin : begin + FRAME], end_stream=begin + FRAME >= len(body))
        self.flush()
        return stream

    def get(self, path: str, **headers: str) -> Response:
        return self.receive(self.request("GET", path, headers))

    def receive(self, stream: int) -> Response:
        """Waits for the end of an answer, in whichever way."""
        response = self.responses[stream]
        while not response.is_ended and response.reset is None and not self.is_closed:
            self.read_once()
        return response

    def read_until_closed(self):
        while not self.is_closed:
            self.read_once()

    def read_once(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_closed = True
            return
        for event in self.h2.receive_data(data):
            self._take(event)
        if not self.is_closed:
            self.flush()

    def _take(self, event):
        response = self.responses.setdefault(getattr(event, "stream_id", 0) or 0, Response())
        match event:
            case h2.events.ResponseReceived():
                response.headers = dict(event.headers)
                response.status = int(response.headers[":status"])
            case h2.events.DataReceived():
                response.body += event.data
                self.order.append(event.stream_id)
                if self.opens_windows and event.flow_controlled_length and response.reset is None:
                    self.h2.increment_flow_control_window(event.flow_controlled_length)
            case h2.events.StreamEnded():
                response.is_ended = True
            case h2.events.StreamReset():
                response.reset = event.error_code
            case h2.events.ConnectionTerminated():
                self.goaway = int(event.error_code)


class RawHttp2Connection:
    """A connection without a library: the test says every byte and sees every frame."""

    def __init__(
        self,
        address,
        preface: bytes = PREFACE + frame(SETTINGS, 0, 0) + frame(SETTINGS, 1, 0),
        receive_buffer: int | None = None,
    ):
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(address)
        self.buffer = b""
        self.send(preface)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data: bytes) -> bool:
        """Whether the server still takes bytes."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def read_frame(self) -> tuple[int, int, int, bytes] | None:
        """Kind, flags, stream and payload; nothing at the end of the connection."""
        head = self._take(9)
        if head is None:
            return None
        payload = self._take(int.from_bytes(head[:3], "big"))
        return head[3], head[4], int.from_bytes(head[5:], "big"), payload

    def goaway(self) -> int | None:
        """The error of the GOAWAY that ends the connection; nothing if it ends without."""
        error = None
        while (got := self.read_frame()) is not None:
            if got[0] == GOAWAY:
                error = int.from_bytes(got[3][4:8], "big")
        return error

    def _take(self, count: int) -> bytes | None:
        while len(self.buffer) < count:
            try:
                part = self.socket.recv(1 << 16)
            except ConnectionResetError:
                return None
            if not part:
                return None
            self.buffer += part
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken
