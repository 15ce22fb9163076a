"""An HTTP origin that serves pictures from memory, and fails a share of its requests in three ways."""

import asyncio
import collections
import contextlib
import random

FAULTS = ("503", "early end", "stall")
HEAD_LIMIT = 15.0  # seconds for the next request on a connection
STALL = 30.0  # seconds; longer than any client waits


class FaultyOrigin:
    """Runs in the event loop of its caller while used as a context. `/NAME` and whatever query gives `pictures[NAME]`."""

    def __init__(self, pictures, host="127.0.0.2", seed=1):
        self.pictures, self.host = pictures, host
        self.share = 0.0  # of the requests, that fail
        self.answers = collections.Counter()  # by what became of them: "whole" and FAULTS
        self._chance = random.Random(seed)

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._converse, self.host, 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    def url(self, name):
        return f"http://{self.host}:{self.port}/{name}"

    async def _converse(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            while True:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_LIMIT)
                if not await self._answer(head.split(b" ", 2)[1].decode(), reader, writer):
                    break
        writer.close()

    async def _answer(self, target, reader, writer):
        """Whether the connection may be used again."""
        body = self.pictures.get(target[1:].partition("?")[0])
        if body is None:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        fault = self._chance.choice(FAULTS) if self._chance.random() < self.share else "whole"
        self.answers[fault] += 1
        if fault == "503":
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
            return True
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
        if fault == "whole":
            writer.write(body)
            await writer.drain()
            return True
        writer.write(body[: len(body) // 2])
        await writer.drain()
        if fault == "stall":
            await asyncio.wait_for(reader.read(1), STALL)  # Until the other side has given up.
        return False
