"""Whose bytes go next on a connection of many streams: the scheduler's wheel next to other ways of sharing."""

import json
import subprocess

from section import Section, Table, Target
from server import BenchError
from spread import Spread
from svg import Axis, Line, Mark, line_plot

BINARY = "scheduler_bench"
STREAMS = (10, 100, 256, 1000)
WAYS = {
    "wheel": "wheel",
    "heap": "4-ary heap",
    "array_of_queues": "array of queues (as H2O)",
    "linear_scan": "linear scan",
    "whole_scheduler": "whole scheduler",
}
TARGET = 20
METHOD = """Google Benchmark, {repetitions} repetitions of each, in a random order; CPU time of a turn: find whose it is,
count a quantum, put the stream back. All streams always have something to send, with the weights 1 to 256. *Wheel* and
*heap* order by exact virtual times of weighted fair queueing, and so does the *linear scan*; the *array of queues* is
written from the description of H2O's scheduler and counts turns. The *whole scheduler* adds classes, phases, the share
of lower classes and the search of a stream by its number. *Largest lag*: what a stream should have got by its weight
less what it got, in quanta, the largest of all of 256 streams at any of 40,000 turns."""


def run(bench):
    repetitions = bench.pick(15, 2)
    times, lags = measure(bench, repetitions)
    part = Section("scheduler", "The stream scheduler", METHOD.format(repetitions=repetitions))
    for streams in STREAMS[1:]:
        spread = times["wheel", streams]
        met = spread.median <= TARGET
        part.targets.append(Target(f"wheel, {streams} streams", f"<= {TARGET} ns", spread.text(1, " ns"), met))
    part.targets.append(flatness(times))
    part.targets.append(Target("wheel, largest lag", "<= 2 quanta", f"{lags['wheel']:.2f}", lags["wheel"] <= 2))
    part.tables.append(
        Table(
            "Nanoseconds a turn, median (lowest to highest), by number of streams.",
            ["", *[str(streams) for streams in STREAMS], "largest lag"],
            [
                [title, *[times[way, streams].text(1) for streams in STREAMS], f"{lags[way]:.2f}" if way in lags else ""]
                for way, title in WAYS.items()
            ],
        )
    )
    part.plots["scheduler.svg"] = line_plot(
        "A turn among many streams",
        Axis("streams", logarithmic=True, ticks=STREAMS),
        Axis("nanoseconds", logarithmic=True),
        [line_of(title, way, times) for way, title in WAYS.items()],
        [Mark("target", TARGET)],
    )
    return part


def line_of(title, way, times):
    spreads = [times[way, streams] for streams in STREAMS]
    points = [(streams, spread.median) for streams, spread in zip(STREAMS, spreads)]
    return Line(title.split(" (")[0], points, bars=[(spread.low, spread.high) for spread in spreads])


def flatness(times):
    """1,000 streams over 100, by medians."""
    ratio = times["wheel", 1000].median / times["wheel", 100].median
    return Target("wheel, 1,000 streams over 100", "<= 1.2", f"{ratio:.2f}", ratio <= 1.2)


def measure(bench, repetitions):
    """({(way, streams): Spread of nanoseconds}, {way: largest lag in quanta})."""
    command = [
        str(bench.bin / BINARY),
        "--benchmark_format=json",
        f"--benchmark_repetitions={repetitions}",
        f"--benchmark_min_time={bench.pick(0.1, 0.01)}",
        "--benchmark_enable_random_interleaving=true",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{BINARY}: {result.stderr.strip()}")
    values, lags = {}, {}
    for entry in json.loads(result.stdout)["benchmarks"]:
        if entry["run_type"] != "iteration":
            continue
        way, _, streams = entry["run_name"].partition("/")
        values.setdefault((way, int(streams)), []).append(entry["cpu_time"])
        if "largest_lag" in entry:
            lags[way] = entry["largest_lag"]
    return {key: Spread(times) for key, times in values.items()}, lags
