"""Runs benchmarks and writes the report: `python3 bench/harness [--quick] [name…]`.

Exit code: 0 when all that was asked for has been measured, whatever the figures are; 1 when one could not be carried
out, except, in a run of all, those for which the machine lacks something; 2 for a wrong command line.
"""

import argparse
import os
import pathlib
import sys
import time

import machine
import report
import scenarios
from bench import Bench
from server import BenchError, NotHere

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Runs the benchmarks and writes the report.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="one or more of: " + ", ".join(scenarios.ALL))
    parser.add_argument(
        "--quick", action="store_true", help="only check that they run, within a minute; figures mean nothing"
    )
    parser.add_argument("--minutes", type=float, help="how long `soak` lasts (30; with --quick half a minute)")
    parser.add_argument("--list", action="store_true", help="print the names and what each measures")
    parser.add_argument(
        "--results", type=pathlib.Path, help="where to write (bench/results; with --quick the build folder)"
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in scenarios.ALL]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(scenarios.ALL)}")
    if options.minutes is not None and not 0 < options.minutes <= 24 * 60:
        parser.error("--minutes: more than 0 and no more than a day")
    return options


def compiler_of(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return next(line.partition("=")[2] for line in cache.splitlines() if line.startswith("CMAKE_CXX_COMPILER:"))


def measure(name, bench, described, results, asked_for):
    """Runs one benchmark and saves its section. Returns whether it could be carried out."""
    print(f"{name} …", file=sys.stderr, flush=True)
    busy = machine.busy_cpus()
    begin = time.monotonic()
    try:
        part = scenarios.ALL[name].run(bench)
    except BenchError as error:
        print(f"{name}: could not be carried out: {error}", file=sys.stderr)
        return isinstance(error, NotHere) and not asked_for
    part.machine, part.quick, part.load_average = described, bench.quick, busy
    part.save(results)
    for target in part.targets:
        print(f"  {target.what}: {target.measured} (target {target.wanted})", file=sys.stderr)
    print(f"  {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return True


def main():
    options = arguments()
    if options.list:
        for name, scenario in scenarios.ALL.items():
            print(f"{name:12} {scenario.__doc__.splitlines()[0]}")
        return 0
    build = pathlib.Path(os.environ.get("OPTIMUX_BENCH_BUILD", ROOT / "build" / "bench"))
    results = options.results or (build / "bench-results" if options.quick else ROOT / "bench" / "results")
    results.mkdir(parents=True, exist_ok=True)
    try:
        bench = Bench(ROOT, build, options.quick, options.minutes)
    except (BenchError, OSError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    names = options.names or scenarios.BY_DEFAULT
    described = [list(pair) for pair in machine.describe(ROOT, compiler_of(build))]
    measured = [measure(name, bench, described, results, bool(options.names)) for name in names]
    report.write(results, scenarios.ALL)
    print(f"report: {os.path.relpath(results / 'report.md')}")
    return 0 if all(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
