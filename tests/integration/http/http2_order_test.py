"""In which order the bytes of a hundred pictures come on one connection: read from its frames, on a real socket."""

import pytest

from support import client, media
from support.frame_log import QUANTUM, FrameLog, phase_ends
from support.http2 import Http2Connection
from support.waiting import eventually

COUNT = 100
FILLER = client.asset(media.PHOTO, sizes="600x0", format="png", effort=0)
# What may be on its way when the last request comes: what both ends of the connection hold, a budget and a record.
MOST_UNSENT = 384 * 1024


@pytest.fixture(scope="module")
def pictures(server_of_module, tmp_path_factory) -> list[tuple[str, list[int]]]:
    """Targets of progressive pictures that are finished, each with the ends of its phases."""
    folder = tmp_path_factory.mktemp("pictures")
    targets = [
        client.asset(media.PHOTO, sizes=f"{200 + number}x0", format="jpeg", quality=80, progressive="true")
        for number in range(COUNT)
    ]
    with Http2Connection(server_of_module.address) as connection:
        for number, stream in enumerate([connection.request("GET", target) for target in targets]):
            (folder / f"{number}.jpg").write_bytes(connection.receive(stream).body)
    ends = phase_ends([folder / f"{number}.jpg" for number in range(COUNT)])
    assert all(0 < head < first < good < full for head, first, good, full in ends)
    assert server_of_module.get(FILLER).status == 200
    return list(zip(targets, ends))


def ask_for_all(log: FrameLog, pictures, urgency=lambda number: 3) -> list[int]:
    """All requests have come and are answered, and no byte of a body may be sent."""
    log.close_connection_window(FILLER)
    streams = [log.ask(target, ends, urgency(number)) for number, (target, ends) in enumerate(pictures)]
    log.settle()
    return streams


def test_all_heads_then_all_previews_then_the_rest(server, pictures):
    with FrameLog(server.address) as log:
        streams = ask_for_all(log, pictures)
        for stream in streams:
            log.open_window(stream)
        log.settle()
        for phase in range(4):
            # What is sent of later phases meanwhile is checked frame by frame; here it is what it may take in all.
            here = sum(max(0, answer.ends[phase] - answer.offset) for answer in log.answers.values())
            log.receive_in_steps(here + here // 15 + QUANTUM)
            assert all(answer.offset >= answer.ends[phase] for answer in log.answers.values()), phase
        assert all(answer.is_ended for answer in log.answers.values())
        assert log.check.lower > 0


def test_lower_urgencies_get_a_sixteenth(server, pictures):
    with FrameLog(server.address) as log:
        streams = ask_for_all(log, pictures, urgency=lambda number: 1 + 2 * (number % 3))
        for stream in streams:
            log.open_window(stream)
        log.settle()
        log.receive_in_steps(log.owed())
        assert all(answer.is_ended for answer in log.answers.values())
        assert QUANTUM < log.check.lower <= log.check.upper / 15


def test_blocked_streams_hold_up_nobody_and_miss_nothing(server, pictures):
    with FrameLog(server.address) as log:
        streams = ask_for_all(log, pictures, urgency=lambda number: 2 + number % 2)
        blocked = streams[::10]
        for stream in streams:
            if stream not in blocked:
                log.open_window(stream)
        log.settle()
        log.receive_in_steps(log.owed() // 2)
        assert all(log.answers[stream].offset == 0 for stream in blocked)
        # One may send a little, and one all that it has: their heads and previews are due before all else.
        little, all_of_it = (log.answers[stream] for stream in blocked[:2])
        log.open_window(blocked[0], 100)
        log.open_window(blocked[1])
        log.settle()
        log.receive_in_steps(100 + all_of_it.ends[1] + 2 * QUANTUM)
        assert little.offset == 100
        assert all_of_it.offset >= all_of_it.ends[1]
        log.receive_in_steps(log.owed())
        assert all_of_it.is_ended
        assert all(log.answers[stream].is_ended for stream in streams if stream not in blocked)
        # And the others get all of theirs when they can.
        for stream in blocked:
            log.open_window(stream)
        log.settle()
        log.receive_in_steps(log.owed())
        assert all(answer.is_ended for answer in log.answers.values())


def test_a_slow_reader_gets_the_order_behind_what_is_unsent(server, pictures):
    """Every window is open; it is the network that is slow. Only what it holds already is not in order."""
    before = server.metrics().value("optimux_http2_streams_total")
    with FrameLog(server.address, initial_window=1 << 24, receive_buffer=8_192, unsent=MOST_UNSENT) as log:
        log.open_window(0, 1 << 28)
        for number, (target, ends) in enumerate(pictures):
            log.ask(target, ends, urgency=3 if number < COUNT - 1 else 1)
        eventually(
            lambda: server.metrics().value("optimux_http2_streams_total") == before + COUNT, "all requests have come"
        )
        log.receive_all()
