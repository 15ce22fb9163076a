"""Small operations on the way of every request (Google Benchmark)."""

import json
import subprocess

from section import Section, Table
from server import BenchError

BINARIES = ("base_bench", "http_bench", "service_bench")
METHOD = """Google Benchmark, {repetitions} repetitions each, after the name of the file and the operation; the
median of CPU time and the coefficient of variation over the repetitions."""


def run(bench):
    repetitions = bench.pick(7, 2)
    rows = [row for binary in BINARIES for row in run_binary(bench, binary, repetitions)]
    part = Section("micro", "Small operations", METHOD.format(repetitions=repetitions))
    part.tables = [Table("CPU time an operation.", ["operation", "median", "variation", "throughput"], rows)]
    return part


def run_binary(bench, binary, repetitions):
    command = [
        str(bench.bin / binary),
        "--benchmark_format=json",
        f"--benchmark_repetitions={repetitions}",
        f"--benchmark_min_time={bench.pick(0.2, 0.01)}",
        "--benchmark_report_aggregates_only=true",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{binary}: {result.stderr.strip()}")
    return [row_of(name, aggregates) for name, aggregates in by_name(json.loads(result.stdout)["benchmarks"]).items()]


def by_name(entries):
    """{benchmark: {aggregate: entry}}."""
    named = {}
    for entry in entries:
        named.setdefault(entry["run_name"], {})[entry["aggregate_name"]] = entry
    return named


def row_of(name, aggregates):
    middle = aggregates["median"]
    rate = middle.get("bytes_per_second")
    variation = aggregates.get("cv", {}).get("cpu_time", 0)
    return [
        f"`{name}`",
        duration(middle["cpu_time"]),
        f"{variation * 100:.1f} %",
        f"{rate / 2**30:.2f} GiB/s" if rate else "",
    ]


def duration(nanoseconds):
    return f"{nanoseconds:.0f} ns" if nanoseconds < 10_000 else f"{nanoseconds / 1000:.1f} us"
