"""CPU seconds a rendition: the server under load over a bare loop that calls libvips."""

from bench import asset
from section import Section, Table, Target
from spread import Spread
from svg import Axis, Bars, bar_plot

WANTED = 1.05
PARAMETERS = "sizes=300x0&format=webp&quality=60"
METHOD = """Three ways of making the same renditions (300 wide WebP, quality 60, effort 4) of the same JPEG photos
take turns, round by round: the *server* over HTTP with {connections} connections that ask without a pause; the
*executor* loop, which calls the server's media layer without a server; and the *bare* loop, which calls
`vips_thumbnail_buffer` and `vips_webpsave_buffer` and nothing else. The loops use as many threads as there are CPUs
({cpus}), libvips is set to one thread an operation everywhere. Each request names a source of its own (a hard
link), so that neither cache nor single flight helps, while the caches are on as they are by default; all three read
the file from the page cache for each rendition. CPU seconds are user and system time of the whole process, of the
server by its process clock from the first request to the last answer, of the loops by `getrusage` after one
uncounted rendition in each thread."""


def run(bench):
    rounds = bench.pick(11, 2)
    renditions = bench.pick(5, 1) * len(bench.workspace.photos) if bench.workspace.uses_corpus else bench.pick(100, 20)
    costs = {"server": [], "executor": [], "bare": []}
    speeds = {name: [] for name in costs}
    with bench.warm_server() as server:
        ways = {
            "server": lambda: by_server(bench, server, renditions),
            "executor": lambda: by_loop(bench, "executor_loop", renditions),
            "bare": lambda: by_loop(bench, "bare_vips", renditions),
        }
        for number in range(rounds):
            for name in rotated(list(ways), number):
                cost, speed = ways[name]()
                costs[name].append(cost)
                speeds[name].append(speed)
        threads = server.thread_cpu_seconds()
    return describe(bench, renditions, costs, speeds, threads)


def rotated(names, by):
    """Each way is measured first, second and last equally often."""
    return names[by % len(names) :] + names[: by % len(names)]


def by_server(bench, server, renditions):
    targets = [asset(key, PARAMETERS) for key in bench.workspace.fresh(renditions)]
    before = server.cpu_seconds()
    run_ = bench.load(server, targets, connections=2 * bench.cpus, requests=renditions).require(200)
    return (server.cpu_seconds() - before) / renditions * 1000, renditions / run_.wall


def by_loop(bench, program, renditions):
    result = bench.loop(program, bench.workspace.photos, renditions, width=300, format="webp", quality=60)
    return result["cpu_seconds"] / renditions * 1000, renditions / result["wall_seconds"]


def ratios(costs, name):
    return Spread([ours / bare for ours, bare in zip(costs[name], costs["bare"])])


def describe(bench, renditions, costs, speeds, threads):
    server, executor = ratios(costs, "server"), ratios(costs, "executor")
    part = Section("cpu", "CPU seconds a rendition", METHOD.format(connections=2 * bench.cpus, cpus=bench.cpus))
    part.targets = [
        Target("CPU of the server over the bare loop", f"<= {WANTED}", server.text(), server.median <= WANTED)
    ]
    spreads = {name: Spread(values) for name, values in costs.items()}
    part.tables = [
        Table(
            f"{len(costs['bare'])} rounds of {renditions} renditions each; ratios are taken within a round.",
            ["", "CPU ms a rendition", "renditions a second", "ratio to bare"],
            [
                ["server", spreads["server"].text(1), Spread(speeds["server"]).text(1), server.text()],
                ["executor", spreads["executor"].text(1), Spread(speeds["executor"]).text(1), executor.text()],
                ["bare libvips", spreads["bare"].text(1), Spread(speeds["bare"]).text(1), "1"],
            ],
        )
    ]
    part.tables.append(
        Table(
            "CPU seconds of the server by thread name, over all rounds (threads that have ended are missing).",
            ["thread", "CPU seconds"],
            [
                [name, f"{seconds:.2f}"]
                for name, seconds in sorted(threads.items(), key=lambda item: -item[1])
                if seconds >= 0.005
            ],
        )
    )
    bars = Bars(
        "median; the line is lowest to highest round",
        [spreads[name].median for name in costs],
        [(spreads[name].low, spreads[name].high) for name in costs],
    )
    part.plots["cpu.svg"] = bar_plot(
        "CPU a rendition, 300 wide WebP",
        Axis("CPU milliseconds a rendition"),
        ["server", "media layer alone", "bare libvips"],
        [bars],
    )
    return part
