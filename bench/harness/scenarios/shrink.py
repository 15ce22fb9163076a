"""CPU seconds for an 8K source at 300 wide: the server over decoding all pixels first."""

from bench import asset
from section import Section, Table, Target
from spread import Spread
from svg import Axis, Bars, bar_plot

WANTED = 10
PARAMETERS = "sizes=300x0&format=webp&quality=60"
METHOD = """A 7680x4320 JPEG becomes a 300 wide WebP (quality 60). The server decodes at the scale it needs; the
other two decode all 33 million pixels into memory first and then resize: *box and Lanczos* is `vips_resize` as it
is, which averages whole factors before it filters; *Lanczos* filters all decoded pixels with one kernel, at full
precision. The three take turns, round by round, in {cpus} threads. A JPEG of one scan has to be entropy-decoded to
its last byte whatever the scale, which is most of what the server still does and bounds the factor that can be
won."""
WAYS = {
    "server": "server, shrink while decoding",
    "full": "all pixels, then box and Lanczos",
    "full-lanczos": "all pixels, then Lanczos",
}


def run(bench):
    rounds, renditions = bench.pick(7, 1), bench.pick(16, 1)
    costs = {name: [] for name in WAYS}
    with bench.warm_server() as server:
        for _ in range(rounds):
            costs["server"].append(by_server(bench, server, renditions))
            for decode in ("full", "full-lanczos"):
                costs[decode].append(by_loop(bench, decode, renditions))
    return describe(bench, renditions, costs)


def by_server(bench, server, renditions):
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(renditions, [bench.workspace.large])]
    before = server.cpu_seconds()
    bench.load(server, targets, connections=2 * bench.cpus, requests=renditions).require(200)
    return (server.cpu_seconds() - before) / renditions * 1000


def by_loop(bench, decode, renditions):
    result = bench.loop("bare_vips", [bench.workspace.large], renditions, decode=decode)
    return result["cpu_seconds"] / renditions * 1000


def describe(bench, renditions, costs):
    part = Section("shrink", "Shrink while decoding", METHOD.format(cpus=bench.cpus))
    factors = {
        name: Spread([full / ours for full, ours in zip(costs[name], costs["server"])])
        for name in ("full", "full-lanczos")
    }
    part.targets = [
        Target(f"times fewer CPU seconds than: {WAYS[name]}", f">= {WANTED}", factor.text(1), factor.median >= WANTED)
        for name, factor in factors.items()
    ]
    spreads = {name: Spread(values) for name, values in costs.items()}
    part.tables = [
        Table(
            f"{len(costs['server'])} rounds of {renditions} renditions each.",
            ["", "CPU ms a rendition"],
            [[title, spreads[name].text(1)] for name, title in WAYS.items()],
        )
    ]
    bars = Bars(
        "median; the line is lowest to highest round",
        [spreads[name].median for name in WAYS],
        [(spreads[name].low, spreads[name].high) for name in WAYS],
    )
    part.plots["shrink.svg"] = bar_plot(
        "8K JPEG to 300 wide WebP", Axis("CPU milliseconds a rendition"), list(WAYS.values()), [bars]
    )
    return part
