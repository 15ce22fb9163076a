"""SIGINT and SIGTERM end `optimux transform` promptly and leave no half-written file."""

import array
import contextlib
import fcntl
import os
import signal
import subprocess
import termios
import time

import pytest

from support import picture
from support.server import BINARY
from support.waiting import PATIENCE, eventually

SLOW = ["--format", "avif", "--effort", "4", "--enlarge", "--sizes", "1000x0"]
PROMPTLY = 10.0  # Seconds, on a machine that is busy with other tests; rendering all would take minutes.


@contextlib.contextmanager
def start(*arguments, **options):
    """A running command; killed if the test has not ended it."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OPTIMUX_")}
    command = [BINARY, "transform", *map(str, arguments)]
    with subprocess.Popen(command, env=clean, stderr=subprocess.PIPE, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def end(process: subprocess.Popen, number: signal.Signals) -> bytes:
    process.send_signal(number)
    started = time.monotonic()
    _, messages = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - started < PROMPTLY
    assert process.returncode == 130, messages
    return messages


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_middle_of_a_batch(folder, quarters, files, number):
    (folder / "many").mkdir()
    for index in range(200):
        (folder / "many" / f"{index:03}.png").write_bytes(quarters.read_bytes())
    with start("many", "-o", "out", *SLOW) as process:
        eventually(lambda: list(folder.glob("out/[0-9]*.avif")), "the first output is there")
        messages = end(process, number)
    assert b"; interrupted\n" in messages
    for name in files(folder / "out"):
        assert name.endswith(".avif"), name  # None of those that had no name yet.
        assert picture.header_of(folder / "out" / name)["width"] == "1000"
    made = len(files(folder / "out"))
    assert made < 200
    assert f"{made} written, 0 skipped, 0 failed, {200 - made} not made; ".encode() in messages


def test_while_standard_input_says_nothing(folder):
    reader, writer = os.pipe()
    with start("-", "-o", "out.webp", stdin=reader) as process:
        os.close(reader)
        os.write(writer, b"\x89PNG")
        eventually(lambda: signals_are_taken(process.pid), "the command is running")
        end(process, signal.SIGINT)
    os.close(writer)
    assert list(folder.iterdir()) == []


def test_while_nobody_reads_the_output(folder):
    noise = os.urandom(300 * 300 * 3)
    (folder / "noise.png").write_bytes(picture.png(300, 300, lambda x, y: noise[(y * 300 + x) * 3 :][:3]))
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with start("noise.png", "-o", "-", "--format", "png", stdout=writer) as process:
        os.close(writer)
        eventually(lambda: bytes_in(reader), "the one page of the pipe is taken")
        end(process, signal.SIGINT)
    os.close(reader)


def signals_are_taken(pid: int) -> bool:
    """Whether SIGINT is blocked, as it is from the moment on that the command handles it."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        blocked = next(line for line in status if line.startswith("SigBlk:"))
    return bool(int(blocked.split()[1], 16) & 1 << (signal.SIGINT - 1))


def bytes_in(reader: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(reader, termios.FIONREAD, count)
    return count[0]
