"""Four times more requests than can be served: goodput, refusals, health, and that nothing is lost."""

from bench import asset
from section import Section, Table, Target
from server import BenchError
from spread import percentile
from svg import Axis, Line, Mark, line_plot

PARAMETERS = "sizes=300x0&format=webp&quality=60"
TIMES = 4
GOODPUT_WANTED, REFUSAL_WANTED, HEALTH_WANTED = 0.80, 50, 50  # share; ms; ms
HEALTH_RATE = 20  # a second
SETTLE = 2.0  # seconds after the last answer in which the pool must have become idle
METHOD = """A server with its default settings. First its peak: {peak_connections} connections that ask without a
pause for {peak_seconds} s, each request for a source of its own. Then {times} times that rate by the clock for
{seconds} s, whatever the server answers, over at most {connections} connections, while another client asks for
`/health` {health_rate} times a second. Goodput counts the renditions that were whole within these {seconds} s.
Latencies count from when a request was due. Within {settle:g} s the pool must be idle, every request answered, and
new ones served as before."""


def run(bench):
    with bench.warm_server() as server:
        peak_run = measure_peak(bench, server)
        peak = len(peak_run.of_status(200)) / peak_run.wall
        health, flood = measure_flood(bench, server, TIMES * peak)
        pool, after = measure_after(bench, server)
    return describe(bench, peak, health, flood, pool, after)


def seconds(bench):
    return bench.pick(20, 4)


def peak_seconds(bench):
    return bench.pick(10, 2)


def connections():
    return 1500


def measure_peak(bench, server):
    milliseconds = 1000 * peak_seconds(bench)
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(bench.pick(2000, 600))]
    return bench.load(server, targets, connections=4 * bench.cpus, duration=milliseconds).require(200)


def measure_flood(bench, server, rate):
    count = int(rate * seconds(bench)) + 1
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(count)]
    health = bench.start_load(
        server, ["/health"], "health", connections=4, rate=HEALTH_RATE, duration=1000 * seconds(bench)
    )
    flood = bench.load(
        server, targets, connections=connections(), rate=f"{rate:.3f}", duration=1000 * seconds(bench), timeout=60_000
    )
    return health.result(), flood


def measure_after(bench, server):
    """The pool's figures, and a run of requests that must all be served."""
    pool = server.idle_image_pool(SETTLE)
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(bench.pick(100, 20))]
    return pool, bench.load(server, targets, connections=4 * bench.cpus, requests=len(targets)).require(200)


def by_second(samples, upto):
    counts = [0] * upto
    for sample in samples:
        if sample.last_us < upto * 1_000_000:
            counts[sample.last_us // 1_000_000] += 1
    return [(second + 0.5, count) for second, count in enumerate(counts)]


def describe(bench, peak, health, flood, pool, after):
    duration = seconds(bench)
    served, refused = flood.of_status(200), flood.of_status(503)
    expired = flood.of_status(504)
    in_time = [s for s in served if s.last_us <= duration * 1_000_000]
    goodput = len(in_time) / duration
    refusal = percentile([s.latency_ms for s in refused], 0.99)
    alive = percentile([s.latency_ms for s in health.samples], 0.99)
    lost = len(flood.samples) - len(served) - len(refused) - len(expired)
    idle = pool["queue_depth"] == 0 and pool["in_flight"] == 0
    if health.incomplete() or len(health.of_status(200)) != len(health.samples):
        raise BenchError("/health was not answered with 200 each time")
    part = Section(
        "overload",
        "Overload",
        METHOD.format(
            peak_connections=4 * bench.cpus,
            peak_seconds=peak_seconds(bench),
            times=TIMES,
            seconds=duration,
            connections=f"{connections():,}",
            health_rate=HEALTH_RATE,
            settle=SETTLE,
        ),
    )
    hinted = sum(s.retry_after for s in refused)
    part.targets = [
        Target(
            "goodput over peak",
            f">= {GOODPUT_WANTED}",
            f"{goodput / peak:.3f} ({goodput:.1f} of {peak:.1f} a second)",
            goodput >= GOODPUT_WANTED * peak,
        ),
        Target(
            "refusals, p99", f"<= {REFUSAL_WANTED} ms", f"{refusal:.1f} ms of {len(refused)}", refusal <= REFUSAL_WANTED
        ),
        Target("refusals with Retry-After", "all", f"{hinted} of {len(refused)}", hinted == len(refused)),
        Target(
            "/health, p99", f"<= {HEALTH_WANTED} ms", f"{alive:.1f} ms of {len(health.samples)}", alive <= HEALTH_WANTED
        ),
        Target("requests without an answer of 200, 503 or 504", "0", str(lost), lost == 0),
        Target(
            "pool idle afterwards, new requests served",
            "yes",
            f"{'yes' if idle else 'no'}, {len(after.of_status(200))} of {len(after.samples)}",
            idle,
        ),
    ]
    part.tables = [
        Table(
            "Answers.",
            ["sent", "200 in time", "200 later", "503", "504", "else", "200: p50 ms", "200: p99 ms"],
            [
                [
                    len(flood.samples),
                    len(in_time),
                    len(served) - len(in_time),
                    len(refused),
                    len(expired),
                    lost,
                    f"{percentile([s.latency_ms for s in served], 0.5):.0f}",
                    f"{percentile([s.latency_ms for s in served], 0.99):.0f}",
                ]
            ],
        )
    ]
    part.plots["overload.svg"] = line_plot(
        f"Answers a second at {TIMES} times the peak rate",
        Axis("seconds since the flood began", high=duration),
        Axis("answers a second"),
        [Line("rendition (200)", by_second(served, duration)), Line("refused (503)", by_second(refused, duration))],
        [Mark("peak", peak)],
    )
    return part
