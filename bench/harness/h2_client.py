"""Asks for many bodies at once over one HTTP/2 connection and writes down when which byte of each came.

A program of its own, so that it can run in another network namespace than who evaluates it.
usage: h2_client.py HOST PORT < REQUESTS > LOG      both JSON:
  REQUESTS  {"paths": [...], "at_once": most open at one time, "late": path, "half_of_all": bytes}
            `late` is asked for, urgently, when `half_of_all` bytes have come; all but `paths` may be left out
  LOG       {"events": [[seconds, index, bytes so far], ...], "asked": [seconds of each], "ended": [seconds of each]}
The late request has the last index. Cleartext with prior knowledge; windows as Chromium has them; every request says
`priority: i`, as browsers do for images, the late one `u=0`.
"""

import json
import socket
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.settings

STREAM_WINDOW = 6 * 1024 * 1024
CONNECTION_WINDOW = 15 * 1024 * 1024
READ_SIZE = 1 << 16
TIMEOUT = 300.0  # seconds without a byte
START_TIMEOUT = 20.0  # seconds until the server listens


def connect(host, port):
    """Tries until the server listens."""
    limit = time.monotonic() + START_TIMEOUT
    while True:
        try:
            return socket.create_connection((host, port), timeout=TIMEOUT)
        except ConnectionRefusedError:
            if time.monotonic() > limit:
                raise
            time.sleep(0.05)


class Client:
    def __init__(self, host, port, paths, late=None, at_once=None, half_of_all=0):
        self.authority = f"{host}:{port}"
        self.socket = connect(host, port)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        settings = h2.settings.Settings(client=True, initial_values={h2.settings.SettingCodes.ENABLE_PUSH: 0})
        settings[h2.settings.SettingCodes.INITIAL_WINDOW_SIZE] = STREAM_WINDOW
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.connection.local_settings = settings
        self.connection.local_settings.acknowledge()
        self.waiting = list(enumerate(paths))
        self.late = late
        self.at_once = at_once or len(paths)
        self.half_of_all = half_of_all
        self.wanted = len(paths) + (1 if late else 0)
        self.indices = {}
        self.received = [0] * self.wanted
        self.asked = [None] * self.wanted
        self.ended = [None] * self.wanted
        self.events = []

    def run(self):
        self.connection.initiate_connection()
        self.connection.increment_flow_control_window(CONNECTION_WINDOW)
        self.send()
        self.begin = None
        self.read()  # the server's settings tell how many streams it allows
        self.begin = time.monotonic()
        self.ask_what_may_be_asked()
        while None in self.ended:
            self.read()
            if self.late and sum(self.received) >= self.half_of_all and self.has_room():
                self.ask(self.wanted - 1, self.late, "u=0")
                self.late = None
            self.ask_what_may_be_asked()
        return {"events": self.events, "asked": self.asked, "ended": self.ended}

    def ask_what_may_be_asked(self):
        while self.waiting and self.has_room() and self.connection.open_outbound_streams < self.at_once:
            self.ask(*self.waiting.pop(0), "i")
        self.send()

    def has_room(self):
        return self.connection.open_outbound_streams < self.connection.remote_settings.max_concurrent_streams

    def ask(self, index, path, priority):
        stream = self.connection.get_next_available_stream_id()
        self.indices[stream] = index
        headers = {":method": "GET", ":scheme": "http", ":authority": self.authority, ":path": path}
        self.connection.send_headers(
            stream, [*headers.items(), ("accept", "image/*"), ("priority", priority)], end_stream=True
        )
        self.asked[index] = self.now()

    def now(self):
        return time.monotonic() - self.begin

    def send(self):
        self.socket.sendall(self.connection.data_to_send())

    def read(self):
        data = self.socket.recv(READ_SIZE)
        if not data:
            raise SystemExit("the server has closed the connection")
        for event in self.connection.receive_data(data):
            self.take(event)
        self.send()

    def take(self, event):
        if isinstance(event, h2.events.ResponseReceived):
            status = dict(event.headers)[b":status"]
            if status != b"200":
                raise SystemExit(f"status {status.decode()} for request {self.indices[event.stream_id]}")
        elif isinstance(event, h2.events.DataReceived):
            index = self.indices[event.stream_id]
            self.received[index] += len(event.data)
            self.events.append([self.now(), index, self.received[index]])
            self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.ended[self.indices[event.stream_id]] = self.now()
        elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
            raise SystemExit(f"the server gave up: {event}")


def main():
    host, port = sys.argv[1], int(sys.argv[2])
    json.dump(Client(host, port, **json.load(sys.stdin)).run(), sys.stdout)


if __name__ == "__main__":
    main()
