"""Waiting for things outside of the test's own thread: until they are so, never for a time that should do."""

import threading
import time
from typing import Callable

PATIENCE = 30.0  # Seconds after which something that must happen counts as never happening.


class Gate:
    """Holds scripts until a test opens it, and tells how many wait there."""

    def __init__(self):
        self._condition = threading.Condition()
        self._open = False
        self._waiting = 0

    def wait(self):
        with self._condition:
            self._waiting += 1
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._open, PATIENCE)

    def await_waiting(self, count: int):
        """Returns once `count` have arrived."""
        with self._condition:
            assert self._condition.wait_for(lambda: self._waiting >= count, PATIENCE), f"only {self._waiting} came"

    def open(self):
        with self._condition:
            self._open = True
            self._condition.notify_all()


def eventually(condition: Callable[[], object], what: str, timeout: float = PATIENCE):
    """Looks at the outside world until `condition` holds; its value. Fails naming `what` when it never does."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.01)
    return value
