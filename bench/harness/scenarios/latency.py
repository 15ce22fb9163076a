"""Latency percentiles and throughput at 1, 2, 8 and 64 connections."""

from bench import asset
from section import Section, Table
from spread import Spread
from svg import Axis, Line, line_plot

PARAMETERS = "sizes=300x0&format=webp&quality=60"
SHARES = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
METHOD = """Closed loop over HTTP/1.1 with keep-alive: each connection asks again as soon as it has its answer.
*Made*: every request names a source of its own and is rendered (300 wide WebP, quality 60). *Cached*: all ask for
renditions that are in the memory cache. With more connections than CPUs the time in the queue grows in proportion,
as it must; what is to be seen is that throughput does not fall and that the tail stays near the median. Each value
is the median of {rounds} rounds, in which the numbers of connections take turns; percentiles are of one round."""


def run(bench):
    rounds = bench.pick(5, 1)
    counts = bench.pick((1, 2, 8, 64), (1, 8))
    made = {count: [] for count in counts}
    cached = {count: [] for count in counts}
    with bench.warm_server() as server:
        kept = [asset(key, PARAMETERS) for key in bench.workspace.fresh(bench.pick(40, 10))]
        bench.load(server, kept, connections=4, requests=len(kept)).require(200)
        for _ in range(rounds):
            for count in counts:
                made[count].append(measure_made(bench, server, count))
                cached[count].append(measure_cached(bench, server, kept, count))
    return describe(rounds, made, cached)


def figures(run_):
    return {name: run_.latency(share) for name, share in SHARES.items()} | {"throughput": run_.throughput()}


def measure_made(bench, server, count):
    requests = max(bench.pick(200, 10), bench.pick(4, 1) * count)
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(requests)]
    return figures(bench.load(server, targets, connections=count, requests=requests).require(200))


def measure_cached(bench, server, kept, count):
    return figures(bench.load(server, kept, connections=count, requests=bench.pick(20_000, 200)).require(200))


def spreads(measured):
    """{connections: {figure: Spread over the rounds}}."""
    return {
        count: {name: Spread([one[name] for one in rounds]) for name in rounds[0]} for count, rounds in measured.items()
    }


def percentile_lines(measured):
    return [
        Line(
            name,
            [(count, values[name].median) for count, values in measured.items()],
            [(values[name].low, values[name].high) for values in measured.values()],
        )
        for name in SHARES
    ]


def rows(measured, digits):
    return [
        [str(count), *(values[name].text(digits) for name in SHARES), values["throughput"].text(1 if digits < 2 else 0)]
        for count, values in measured.items()
    ]


def describe(rounds, made, cached):
    made, cached = spreads(made), spreads(cached)
    part = Section("latency", "Latency and throughput", METHOD.format(rounds=rounds))
    header = ["connections", "p50 ms", "p95 ms", "p99 ms", "answers a second"]
    part.tables = [
        Table("Made for the request.", header, rows(made, 1)),
        Table("From the memory cache.", header, rows(cached, 2)),
    ]
    across = Axis("connections", logarithmic=True, low=0.9, high=80, ticks=tuple(made))
    up = Axis("milliseconds", logarithmic=True)
    part.plots = {
        "latency-made.svg": line_plot("Latency of renditions made for the request", across, up, percentile_lines(made)),
        "latency-cached.svg": line_plot(
            "Latency of renditions from the memory cache", across, up, percentile_lines(cached)
        ),
        "latency-throughput.svg": line_plot(
            "Throughput",
            across,
            Axis("renditions a second"),
            [
                Line(
                    "made for the request",
                    [(count, v["throughput"].median) for count, v in made.items()],
                    [(v["throughput"].low, v["throughput"].high) for v in made.values()],
                )
            ],
        ),
    }
    return part
