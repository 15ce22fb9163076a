"""Handing jobs to workers: the pool next to a task queue, oneTBB, a plain mutex pool and a channel of channels."""

import json
import subprocess

from section import Section, Table, Target
from server import BenchError
from spread import Spread
from svg import Axis, Bars, Mark, bar_plot

PROGRAM = "optimux-pool-bench"
COROUTINES = "optimux-pool-coroutine-bench"
OURS = "optimux, functions"
PURE = "pure work"
PEERS = ("task queue (as BS::thread_pool)", "oneTBB queue")
METHOD = """One thread submits, W workers take; the time from the first submission until the last job has ended, over the
number of jobs. All ways take turns in one process, {rounds} rounds, beginning with another one each time; ratios are
taken within a round. *Empty* jobs do nothing, the others compute for so long. Bounded queues have 1,024 places. The
*task queue* stands for BS::thread_pool, written from its documentation; its queue is unbounded. *optimux* has jobs of
a type of its own, *functions* any callable, *batches* hands over and takes 32 at once. *Pure work* is the same work in
as many threads as there are CPUs, without a pool."""
COROUTINES_METHOD = """*Coroutine workers* run jobs that sleep for a millisecond, from a queue that is kept filled; their ceiling
is workers over latency. Memory is what the allocator has given out, its own overhead included."""


def run(bench):
    rounds = bench.pick(15, 2)
    file = bench.scratch / "pool.json"
    output(bench, PROGRAM, "--rounds", str(rounds), "--json", str(file))
    part = describe(json.loads(file.read_text(encoding="utf-8"))["rows"], rounds)
    add_coroutines(part, json.loads(output(bench, COROUTINES, "--json")))
    return part


def output(bench, program, *arguments):
    command = [str(bench.bin / program), *arguments, *bench.pick([], ["--quick"])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{program}: {result.stderr.strip()}")
    return result.stdout


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


def add_coroutines(part, measured):
    """Throughput of sleeping jobs against its ceiling, and what a worker costs in memory."""

    def share(row):
        shares = (row["share_of_ceiling"], row["lowest_share"], row["highest_share"])
        return "{:.3f} ({:.3f} to {:.3f})".format(*shares)

    for row in measured["rows"]:
        if row["workers"] == 2000 and row["threads"] == 1:
            met = row["share_of_ceiling"] >= 0.95
            what = "2,000 coroutines, 1 ms sleeps: of workers / latency"
            part.targets.append(Target(what, ">= 0.95", share(row), met))
    memory = measured["memory"]
    idle = memory["idle_bytes"]
    what = f"memory of an idle coroutine worker, of {memory['workers']:,}"
    part.targets.append(Target(what, "<= 200 B", f"{idle:.0f} B", idle <= 200))
    part.tables.append(
        Table(
            f"Coroutine workers, 1 ms sleeps; {memory['busy_bytes']:.0f} B each with a sleeping job.",
            ["workers", "loop threads", "jobs/s", "of workers / latency: median (lowest to highest)"],
            [
                [f"{row['workers']:,}", str(row["threads"]), f"{row['jobs_per_second']:,.0f}", share(row)]
                for row in measured["rows"]
            ],
        )
    )
    part.notes.append(COROUTINES_METHOD)


def bars_of(name, rows):
    spreads = [Spread(values(row)[name]) for row in rows]
    short = name.split(" (")[0].replace("mutex and condition variables", "mutex")
    return Bars(short, [round(s.median) for s in spreads], [(s.low, s.high) for s in spreads])
