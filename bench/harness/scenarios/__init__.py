"""The benchmarks, in the order of the report. Each module has a docstring and `run(bench) -> Section`."""

from . import (
    browser,
    cancellation,
    cpu,
    first_byte,
    hits,
    holders,
    latency,
    memory,
    micro,
    overload,
    pool,
    priority,
    scheduler,
    shrink,
    soak,
)

ALL = {
    "cpu": cpu,
    "shrink": shrink,
    "latency": latency,
    "hits": hits,
    "memory": memory,
    "first-byte": first_byte,
    "overload": overload,
    "holders": holders,
    "cancellation": cancellation,
    "pool": pool,
    "scheduler": scheduler,
    "micro": micro,
    "priority": priority,
    "browser": browser,
    "soak": soak,
}

# What a run of everything does.
BY_DEFAULT = [name for name, scenario in ALL.items() if not getattr(scenario, "ONLY_BY_NAME", False)]
