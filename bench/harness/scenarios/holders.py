"""Slow clients and stalled origins beside normal traffic: whether they hold workers."""

from bench import asset
from section import Section, Table, Target
from slow_peers import SlowClients, StalledOrigin
from spread import Spread, percentile
from svg import Axis, Bars, Mark, bar_plot

PARAMETERS = "sizes=300x0&format=webp&quality=60"
HELD = 50
READ_RATE = 1024  # bytes a second
METHOD = """Normal traffic is {requests} renditions over {connections} connections that ask without a pause, each
for a source of its own. It runs alone and beside holders in turns, {rounds} times; the ratio is that of its p95
beside them to its p95 alone in the same turn. *Slow clients*: {held} connections with a receive buffer of 4 KiB
that each read a finished picture of several megabytes at {rate} bytes a second; normal traffic begins when all of
them have their first bytes. *Stalled origins*: {held} requests for sources at an HTTP origin that takes the
connection and never answers, asked anew whenever one is given up. The spread of the phases without holders, each
against the one before, tells what is noise."""
KINDS = {"slow": "slow clients", "stalled": "stalled origins"}


def run(bench):
    rounds = bench.pick(7, 1)
    phases = {"alone": [], **{kind: [] for kind in KINDS}}
    with bench.warm_server("--allow-source", "127.0.0.0/8") as server:
        for _ in range(rounds):
            phases["alone"].append(normal_traffic(bench, server))
            with SlowClients(server.port, big_targets(bench), READ_RATE):
                phases["slow"].append(normal_traffic(bench, server))
            with StalledOrigin() as origin:
                phases["stalled"].append(beside_stalled(bench, server, origin))
        phases["alone"].append(normal_traffic(bench, server))
    return describe(bench, rounds, phases)


def requests(bench):
    return bench.pick(160, 20)


def big_targets(bench):
    """One picture, so that making it is over soon; each reader has its own place in it."""
    key = bench.workspace.fresh(1, [bench.workspace.large])[0]
    return [asset(key, "sizes=0x0&format=jpeg&quality=90")] * bench.pick(HELD, 10)


def normal_traffic(bench, server):
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(requests(bench))]
    run_ = bench.load(server, targets, connections=2 * bench.cpus, requests=len(targets)).require(200)
    return percentile([s.latency_ms for s in run_.samples], 0.95)


def beside_stalled(bench, server, origin):
    targets = [f"/resize?image_url=http://127.0.0.1:{origin.port}/{number}.jpg&sizes=300x0" for number in range(10_000)]
    held = bench.start_load(
        server, targets, "stalled", connections=bench.pick(HELD, 10), duration=bench.pick(6_000, 1_500)
    )
    origin.wait_for_connections(bench.pick(HELD, 10))
    result = normal_traffic(bench, server)
    held.result().require(502, 504)
    return result


def describe(bench, rounds, phases):
    part = Section(
        "holders",
        "Slow clients and stalled origins",
        METHOD.format(
            requests=requests(bench),
            connections=2 * bench.cpus,
            rounds=rounds,
            held=bench.pick(HELD, 10),
            rate=READ_RATE,
        ),
    )
    noise = Spread([later / earlier for earlier, later in zip(phases["alone"], phases["alone"][1:])])
    ratios = {kind: Spread([held / alone for held, alone in zip(phases[kind], phases["alone"])]) for kind in KINDS}
    part.targets = [
        Target(
            f"p95 beside {title} over alone",
            f"within noise ({noise.low:.2f} to {noise.high:.2f})",
            ratios[kind].text(),
            ratios[kind].median <= max(noise.high, 1.0),
        )
        for kind, title in KINDS.items()
    ]
    spreads = {name: Spread(values) for name, values in phases.items()}
    part.tables = [
        Table("p95 of normal traffic, ms.", ["alone", *KINDS.values()], [[s.text(1) for s in spreads.values()]])
    ]
    bars = Bars(
        "p95, median of the rounds; the line is lowest to highest",
        [s.median for s in spreads.values()],
        [(s.low, s.high) for s in spreads.values()],
    )
    part.plots["holders.svg"] = bar_plot(
        "Normal traffic beside holders",
        Axis("p95 in milliseconds"),
        ["alone", *(f"beside {title}" for title in KINDS.values())],
        [bars],
        [Mark("alone", spreads["alone"].median)],
    )
    return part
