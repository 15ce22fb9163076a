"""Clients of a soak: ordinary ones, those that leave, and those that mean harm, each on a connection of its own."""

import asyncio
import collections
import contextlib
import hashlib
import itertools
import random
import socket
import struct
import time
import urllib.parse

import hostile_inputs

LIMIT = 60.0  # seconds that a client waits for a whole answer
PARAMETERS = (
    "sizes=300x0&format=webp&quality=60",
    "sizes=300x0&format=jpeg",
    "sizes=600x0&format=jpeg",
    "sizes=160x160&fit=cover&format=webp",
)
REPEATED, REMEMBERED = 1 / 8, 200  # share of the requests that are one of the last so many
LEAVING = 0.5  # seconds after which a client that leaves has left at the latest
OVERLOADED, FAILED_FETCH = {503, 504}, {502, 504}
HOSTILE_STATUSES = {400, 403, 404, 405, 408, 413, 414, 415, 422, 431, 501, 505} | OVERLOADED | FAILED_FETCH
NO_ANSWER = (OSError, ValueError, IndexError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)


class Traffic:
    """Sends requests, and keeps what came of them: counts for each second of the run, and each thing that is wrong."""

    def __init__(self, port, origin, photos, hostile, asset, seed=7):
        self._port, self._origin, self._photos, self._hostile = port, origin, photos, hostile
        self._targets = hostile_inputs.targets(asset)
        self._chance, self._numbers = random.Random(seed), itertools.count()
        self._recent = collections.deque(maxlen=REMEMBERED)
        self._digests = {}  # (photo, parameters) -> of the first rendition
        self.wrong = collections.Counter()
        self.begin()

    def begin(self):
        """Begins to count anew."""
        self._started = time.monotonic()
        self.outcomes = collections.Counter()  # (kind of client, outcome)
        self.good = collections.Counter()  # second -> whole and right renditions
        self.shed = collections.Counter()  # second -> refusals for want of room
        self.waits = []  # seconds from request to the last byte, of good ones

    def elapsed(self):
        return time.monotonic() - self._started

    async def closed_loop(self, clients, seconds):
        """So many ordinary clients that ask again as soon as they have been answered. Good answers a second."""
        self.begin()

        async def ask():
            while self.elapsed() < seconds:
                await self.ordinary()

        await asyncio.gather(*(ask() for _ in range(clients)))
        return sum(count for second, count in self.good.items() if second < seconds) / seconds

    async def open_loop(self, rate, seconds, hostile, leaving):
        """So many requests a second by the clock, whatever is answered; shares of them mean harm, or leave."""
        self.begin()
        under_way = set()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, number / rate - self.elapsed()))
            draw = self._chance.random()
            client = self.hostile if draw < hostile else self.leaving if draw < hostile + leaving else self.ordinary
            task = asyncio.create_task(client())
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        await asyncio.gather(*under_way)

    # Clients.

    async def ordinary(self):
        what, target = self._draw()
        begun = time.monotonic()
        status, body = await self._ask(target)
        self._judge("ordinary", what, status, body, time.monotonic() - begun)

    async def leaving(self):
        what, target = self._draw()
        begun = time.monotonic()
        try:
            status, body = await asyncio.wait_for(self._ask(target), self._chance.uniform(0, LEAVING))
        except TimeoutError:
            self.outcomes["leaving", "left"] += 1
            return
        self._judge("leaving", what, status, body, time.monotonic() - begun)

    async def hostile(self):
        kind = self._chance.choice(("source", "source", "target", "bytes"))
        if kind == "source":
            name = self._chance.choice(sorted(self._hostile))
            status, _ = await self._ask(self._resize(name, self._chance.choice(PARAMETERS)))
        elif kind == "target":
            name = self._chance.choice(self._targets)
            status, _ = await self._ask(name)
        else:
            name = self._chance.choice(hostile_inputs.NO_REQUESTS)
            status, _ = await self._exchange(name)
        refused = status in HOSTILE_STATUSES or (kind == "bytes" and status is None)
        self.outcomes["hostile", "refused" if refused else "wrong"] += 1
        if not refused:
            self.wrong[f"hostile {kind} {name[:60]!r}: {status}"] += 1

    # Requests.

    def _draw(self):
        """((photo, parameters), target) of a rendition, most often one that nobody has asked for."""
        if self._recent and self._chance.random() < REPEATED:
            return self._chance.choice(self._recent)
        what = self._chance.choice(self._photos), self._chance.choice(PARAMETERS)
        drawn = what, self._resize(*what)
        self._recent.append(drawn)
        return drawn

    def _resize(self, name, parameters):
        url = f"{self._origin.url(name)}?{next(self._numbers)}"
        return f"/resize?image_url={urllib.parse.quote(url, safe='')}&{parameters}"

    async def _ask(self, target):
        return await self._exchange(f"GET {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())

    async def _exchange(self, request):
        """(status, body); None for a status that did not come, and for a body that did not come whole."""
        writer = None
        status = body = None
        with contextlib.suppress(*NO_ANSWER):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
            try:
                async with asyncio.timeout(LIMIT):
                    writer.write(request)
                    head = await reader.readuntil(b"\r\n\r\n")
                    status = int(head.split(b" ", 2)[1])
                    body = await read_body(head.lower(), reader)
            except TimeoutError:
                self.wrong["no whole answer within a minute"] += 1
            finally:
                reset(writer)
        return status, body

    # Answers.

    def _judge(self, kind, what, status, body, seconds):
        second = int(self.elapsed())
        if status == 200 and body:
            digest = hashlib.blake2b(body, digest_size=16).digest()
            if self._digests.setdefault(what, digest) == digest:
                self.good[second] += 1
                self.waits.append(seconds)
                outcome = "good"
            else:
                outcome = "wrong"
                self.wrong[f"other bytes than before: {what}"] += 1
        elif status == 200:
            outcome = "cut"
        elif status in OVERLOADED | FAILED_FETCH:
            outcome = str(status)
            self.shed[second] += status in OVERLOADED
        else:
            outcome = "wrong"
            self.wrong[f"status {status} for {what}"] += 1
        self.outcomes[kind, outcome] += 1


async def read_body(head, reader):
    """The body behind a head in small letters; None if it is cut."""
    if b"\r\ntransfer-encoding: chunked" not in head:
        length = head.partition(b"\r\ncontent-length:")[2].split(b"\r\n", 1)[0]
        return await reader.readexactly(int(length or 0))
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    return b"".join(parts)


def reset(writer):
    """Ends a connection at once, whatever is still to come."""
    raw = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
