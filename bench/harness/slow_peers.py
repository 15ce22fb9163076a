"""Peers that hold on to things: clients that read slowly, and an origin that never answers; one thread each."""

import selectors
import socket
import threading
import time

from server import BenchError

RECEIVE_BUFFER = 4096  # bytes
TICK = 0.1  # seconds between two reads of a slow client
START_TIMEOUT = 30.0  # seconds


class SlowClients:
    """Clients that ask at once and then read at `rate` bytes a second each, while used as a context."""

    def __init__(self, port, targets, rate):
        self._sockets = [self._connect(port, target) for target in targets]
        self._piece = max(1, int(rate * TICK))
        self._ending = threading.Event()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._read, name="slow-clients")

    @staticmethod
    def _connect(port, target):
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        client.connect(("127.0.0.1", port))
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        client.setblocking(False)
        return client

    def _read(self):
        waiting = set(self._sockets)
        while not self._ending.wait(TICK):
            for client in self._sockets:
                try:
                    if client.recv(self._piece):
                        waiting.discard(client)
                except BlockingIOError:
                    pass
                except OSError:
                    waiting.discard(client)
            if not waiting:
                self._started.set()

    def __enter__(self):
        self._thread.start()
        if not self._started.wait(START_TIMEOUT):
            self.__exit__()
            raise BenchError("slow clients were not answered")
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()
        for client in self._sockets:
            client.close()


class StalledOrigin:
    """Takes connections on a free port of 127.0.0.1, reads what comes and never answers, while used as a context."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        self._ending = threading.Event()
        self._accepted = 0
        self._thread = threading.Thread(target=self._serve, name="stalled-origin")

    def _serve(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            while not self._ending.is_set():
                for key, _ in selector.select(TICK):
                    self._handle(selector, key.fileobj)
            for key in list(selector.get_map().values()):
                key.fileobj.close()

    def _handle(self, selector, ready):
        if ready is self._listener:
            peer, _ = self._listener.accept()
            selector.register(peer, selectors.EVENT_READ)
            self._accepted += 1
        elif not ready.recv(65536):
            selector.unregister(ready)
            ready.close()

    def wait_for_connections(self, count):
        """Until `count` fetches have reached this origin."""
        limit = time.monotonic() + START_TIMEOUT
        while self._accepted < count:
            if time.monotonic() > limit:
                raise BenchError(f"only {self._accepted} of {count} fetches reached the stalled origin")
            time.sleep(TICK / 10)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()
