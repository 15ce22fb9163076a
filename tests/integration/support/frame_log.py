"""The DATA frames of many answers on one connection, in their order, and what that order ought to be."""

import dataclasses
import json
import struct

import hpack

from support.http2 import (
    DATA,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    RawHttp2Connection,
    frame,
)
from support.server import run_optimux

PHASES = ["head", "first", "good", "full"]
END_STREAM = 0x1
QUANTUM = 16_384  # Most bytes of a turn.
WHOLE_WINDOW = 65_535  # Of a connection at its begin (RFC 9113, section 6.9.2).


def phase_ends(pictures: list) -> list[list[int]]:
    """Where the phases of the pictures in these files end, as `optimux inspect` has it."""
    lines = run_optimux("inspect", "--json", *pictures).stdout.decode().splitlines()
    ends = [{phase["phase"]: phase["end"] for phase in json.loads(line)["phases"]} for line in lines]
    assert len(ends) == len(pictures)
    return [[end[phase] for phase in PHASES] for end in ends]


@dataclasses.dataclass
class Answer:
    """What a stream is to send, and how much of it has come."""

    ends: list[int]  # Of its phases; the last one is the whole.
    urgency: int = 3
    window: int = 0  # Bytes that it may send in all.
    offset: int = 0
    has_head: bool = False
    is_ended: bool = False

    @property
    def phase(self) -> int:
        """That of the next byte."""
        return next(phase for phase, end in enumerate(self.ends) if self.offset < end)

    @property
    def rank(self) -> tuple[int, int]:
        """The lower, the sooner it is its turn."""
        return self.phase, self.urgency

    @property
    def owed(self) -> int:
        """Bytes that it could send now."""
        return min(self.window, self.ends[-1]) - self.offset


class OrderCheck:
    """Holds every frame against the rules of the scheduler. `unsent` bytes are taken as they come, since they were on
    their way when the last stream was opened."""

    def __init__(self, answers: dict[int, Answer], unsent: int = 0):
        self.answers = answers
        self.unsent = unsent
        self.unknown = 16 * QUANTUM if unsent else 0  # What the lower classes may be owed when the check begins.
        self.upper = 0  # Bytes of the best class while there was one below it,
        self.lower = 0  # and those of lower ones.

    def take(self, stream: int, count: int):
        answer = self.answers[stream]
        assert count <= answer.owed, f"stream {stream} has more bytes than its picture or its window"
        if self.unsent > 0:
            self.unsent -= count
        elif count > 0:
            self._judge(stream, answer, count)
        answer.offset += count

    def _judge(self, stream: int, answer: Answer, count: int):
        assert answer.offset + count <= answer.ends[answer.phase], f"a frame of stream {stream} goes beyond its phase"
        sendable = {number: other for number, other in self.answers.items() if other.owed > 0}
        ranks = {other.rank for other in sendable.values()}
        if answer.rank > min(ranks):
            self.lower += count
            # 1/16 is theirs: never more, whatever the moment.
            assert 15 * self.lower <= self.upper + self.unknown, f"stream {stream} in {answer.rank} before its turn: {min(ranks)} is due"
        elif len(ranks) > 1:
            self.upper += count
            # And not less by more than the turn that is due, and the one that makes it so.
            assert self.upper - 15 * self.lower <= 17 * QUANTUM, f"those below {answer.rank} starve"
        if PHASES[answer.phase] != "full":
            peers = [number for number, other in sendable.items() if other.rank == answer.rank]
            assert stream == min(peers), f"stream {stream} before {min(peers)}, which is of the same class"


class FrameLog:
    """A connection on which all bodies are held up at first, until the test lets them come in steps. So the order of
    what comes does not depend on when anything happens."""

    def __init__(self, address, initial_window: int = 0, receive_buffer: int | None = None, unsent: int = 0):
        self.initial_window = initial_window
        window = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, initial_window))
        self.connection = RawHttp2Connection(
            address, PREFACE + window + frame(SETTINGS, 1, 0), receive_buffer=receive_buffer
        )
        self.encoder = hpack.Encoder()
        self.answers: dict[int, Answer] = {}
        self.check = OrderCheck(self.answers, unsent)
        self.next_stream = 1
        self.pings = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.__exit__()

    def request(self, target: str, priority: str) -> int:
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        fields = [(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", target)]
        block = self.encoder.encode([*fields, ("priority", priority)])
        assert self.connection.send(frame(HEADERS, 5, stream, block))
        return stream

    def ask(self, target: str, ends: list[int], urgency: int = 3) -> int:
        """Asks for a picture whose frames are checked."""
        stream = self.request(target, f"u={urgency}, i")
        self.answers[stream] = Answer(ends, urgency, self.initial_window)
        return stream

    def open_window(self, stream: int, count: int = 1 << 24):
        if stream in self.answers:
            self.answers[stream].window += count
        self.connection.send(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", count)))

    def close_connection_window(self, target: str):
        """Uses up what the connection lets the server send, with a part of an answer that is longer."""
        stream = self.request(target, "u=3")
        self.open_window(stream, WHOLE_WINDOW)
        count = 0
        while count < WHOLE_WINDOW:
            kind, _, number, payload = self.connection.read_frame()
            count += len(payload) if (kind, number) == (DATA, stream) else 0
        assert count == WHOLE_WINDOW
        self.connection.send(frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))

    def settle(self):
        """Until the server has taken all that was said, and has begun all answers."""
        self.pings += 1
        self.connection.send(frame(PING, 0, 0, struct.pack(">Q", self.pings)))
        acknowledged = False
        while not acknowledged or not all(answer.has_head for answer in self.answers.values()):
            kind, flags, _, payload = self._take_frame()
            acknowledged |= kind == PING and flags == 1 and payload == struct.pack(">Q", self.pings)

    def receive(self, count: int):
        """So many bytes of bodies."""
        while count > 0:
            kind, _, _, payload = self._take_frame()
            count -= len(payload) if kind == DATA else 0
        assert count == 0, f"{-count} bytes more than the connection's window allows"

    def receive_in_steps(self, most: int, step: int = 10_000) -> int:
        """Opens the connection's window again and again, until `most` bytes have come or no open stream owes more."""
        taken = 0
        while (owed := min(self.owed(), most - taken, step)) > 0:
            self.open_window(0, owed)
            self.receive(owed)
            taken += owed
        return taken

    def receive_all(self):
        while not all(answer.is_ended for answer in self.answers.values()):
            self._take_frame()

    def owed(self) -> int:
        return sum(answer.owed for answer in self.answers.values())

    def _take_frame(self) -> tuple[int, int, int, bytes]:
        got = self.connection.read_frame()
        assert got is not None, "the connection has ended"
        kind, flags, stream, payload = got
        answer = self.answers.get(stream)
        if answer is None:
            return got
        assert kind != RST_STREAM, f"stream {stream} was reset: {payload.hex()}"
        answer.has_head |= kind == HEADERS
        if kind == DATA:
            self.check.take(stream, len(payload))
            answer.is_ended = bool(flags & END_STREAM)
            assert answer.is_ended == (answer.offset == answer.ends[-1])
        return got
