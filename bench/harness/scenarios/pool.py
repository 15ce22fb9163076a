"""Handing jobs to workers: the pool next to a task queue, oneTBB, a plain mutex pool and a channel of channels."""

import json
import subprocess

from section import Section, Table, Target
from server import BenchError
from spread import Spread
from svg import Axis, Bars, Mark, bar_plot

PROGRAM = "optimux-pool-bench"
OURS = "optimux, functions"
PURE = "pure work"
PEERS = ("task queue (as BS::thread_pool)", "oneTBB queue")
METHOD = """One thread submits, W workers take; the time from the first submission until the last job has ended, over the
number of jobs. All ways take turns in one process, {rounds} rounds, beginning with another one each time; ratios are
taken within a round. *Empty* jobs do nothing, the others compute for so long. Bounded queues have 1,024 places. The
*task queue* stands for BS::thread_pool, written from its documentation; its queue is unbounded. *optimux* has jobs of
a type of its own, *functions* any callable, *batches* hands over and takes 32 at once. *Pure work* is the same work in
as many threads as there are CPUs, without a pool."""


def run(bench):
    rounds = bench.pick(15, 2)
    file = bench.scratch / "pool.json"
    command = [str(bench.bin / PROGRAM), "--rounds", str(rounds), "--json", str(file)]
    result = subprocess.run(command + bench.pick([], ["--quick"]), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{PROGRAM}: {result.stderr.strip()}")
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return describe(rows, rounds)


def title(row):
    return f"{row['name']}, W = {row['workers']}"


def values(row):
    """{name of the way: nanoseconds a job, a value a round}."""
    return {series["name"]: series["ns_per_job"] for series in row["series"]}


def ratio(ways, one, other):
    return Spread([a / b for a, b in zip(ways[one], ways[other])])


def targets(row):
    ways = values(row)
    if row["name"] == "empty":
        ours = Spread(ways[OURS])
        yield Target(f"{title(row)}: {OURS}", "<= 200 ns", ours.text(0, " ns"), ours.median <= 200)
        for peer in PEERS:
            if peer in ways:
                share = ratio(ways, OURS, peer)
                yield Target(f"{title(row)}: over {peer}", "<= 0.5", share.text(2), share.median <= 0.5)
        return
    wanted = 1 / 1.15 if row["name"] == "7 us" else 0.98
    share = ratio(ways, PURE, OURS)
    yield Target(f"{title(row)}: speed over the pure work", f">= {wanted:.2f}", share.text(3), share.median >= wanted)


def describe(rows, rounds):
    part = Section("pool", "Handing jobs to workers", METHOD.format(rounds=rounds))
    part.targets = [target for row in rows for target in targets(row)]
    for row in rows:
        ways = values(row)
        part.tables.append(
            Table(
                f"{title(row)}: nanoseconds a job.",
                ["", "median (lowest to highest)", f"{OURS} over it"],
                [[name, Spread(times).text(0), ratio(ways, OURS, name).text(2)] for name, times in ways.items()],
            )
        )
    empty = [row for row in rows if row["name"] == "empty"]
    names = [series["name"] for series in empty[0]["series"]] if empty else []
    bars = [bars_of(name, empty) for name in names]
    part.plots["pool.svg"] = bar_plot(
        "An empty job, one submitter",
        Axis("nanoseconds a job", logarithmic=True),
        [f"W = {row['workers']}" for row in empty],
        bars,
        [Mark("target", 200)],
    )
    return part


def bars_of(name, rows):
    spreads = [Spread(values(row)[name]) for row in rows]
    short = name.split(" (")[0].replace("mutex and condition variables", "mutex")
    return Bars(short, [round(s.median) for s in spreads], [(s.low, s.high) for s in spreads])
