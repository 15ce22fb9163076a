"""Many clients at once."""

import concurrent.futures
from typing import Callable, Iterable


def at_once(task: Callable, items: Iterable) -> list:
    """Runs `task(item)` for all items, each in a thread of its own; the results in their order."""
    items = list(items)
    with concurrent.futures.ThreadPoolExecutor(len(items)) as pool:
        return list(pool.map(task, items))
