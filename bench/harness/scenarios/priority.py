"""A page of many images over one HTTP/2 connection and a slow link: when each can be seen, next to other servers."""

import json
import pathlib
import sys

import h2_servers
from link import SERVER, Link
from page import Page, call
from page_load import PHASES, evaluate
from section import Section, Table, Target
from server import NotHere
from spread import Spread, median, percentile
from svg import Axis, Bars, Line, bar_plot, line_plot
from waterfall import waterfall

POLICIES = ("phases", "rfc9218", "fair", "fifo")
CASES = ((1.5, 20), (5, 100), (20, 300))  # Mbit/s, images; the second is the one with targets
MAIN = (5, 100)
METHOD = """A client in a network namespace of its own asks for all images of a page at once over one cleartext HTTP/2
connection, each with `priority: i` as browsers do; the link to it is a token bucket of the rate given, 100 ms deep.
The images are progressive JPEGs of about 100 KB that the server has in its memory cache; the other servers send the
same bytes from files in the page cache. When half of all bytes have come, one more image is asked for with `u=0`.
The client notes when each byte came; where the phases of each image end is what `optimux inspect` says. Servers and
policies take turns, {rounds} rounds; the figures are medians over the rounds."""


def run(bench):
    if reason := Link.why_not():
        raise NotHere(reason)
    page = Page(bench, bench.pick(max(count for _, count in CASES), 10) + 1)
    others, missing = page.others()
    peers = [page.ours(SERVER, policy) for policy in POLICIES] + others
    rounds = bench.pick(3, 1)
    loads = {}
    for megabits, count in bench.pick(CASES, ((20, 10),)):
        with Link(megabits) as link:
            loads[(megabits, count)] = measure(bench, page, peers, link, count, rounds)
    return describe(missing, loads, rounds)


def measure(bench, page, peers, link, count, rounds):
    """Loads of the page's first `count` images and a late one, by the name of who served them."""
    loads = {peer.name: [] for peer in peers}
    names = page.names[:count] + page.names[-1:]
    cuts = [page.cuts[name] for name in names]
    half = sum(cut[-1] for cut in cuts) / 2
    for number in range(rounds):
        for peer in peers[number % len(peers) :] + peers[: number % len(peers)]:
            paths = peer.paths(names)
            with peer.running(link, bench.scratch / "h2-server.log"):
                ask(link, "server", {"paths": paths, "at_once": 8})  # over the loopback of its namespace: fills caches
                log = ask(link, "client", {"paths": paths[:-1], "late": paths[-1], "half_of_all": half})
            loads[peer.name].append(evaluate(log, cuts, has_late=True))
    return loads


def ask(link, end, requests):
    client = pathlib.Path(__file__).resolve().parents[1] / "h2_client.py"
    command = link.at(end, [sys.executable, str(client), SERVER, str(h2_servers.PORT)])
    return json.loads(call(command, json.dumps(requests)))


def describe(missing, loads, rounds):
    part = Section("priority", "Many images over one connection", METHOD.format(rounds=rounds))
    for (megabits, count), by_peer in loads.items():
        part.tables.append(table_of(megabits, count, by_peer))
    if MAIN in loads:
        part.targets = targets_of(loads[MAIN])
        part.plots = plots_of(loads[MAIN])
    if missing:
        part.notes.append(f"Not installed, so not measured: {', '.join(missing)}.")
    return part


def medians(loads, phase):
    return [median(load.of_phase(phase)) for load in loads]


def table_of(megabits, count, by_peer):
    rows = []
    for name, loads in by_peer.items():
        rows.append(
            [
                name,
                *(
                    f"{median(medians(loads, phase)):.2f} "
                    f"({median([percentile(load.of_phase(phase), 0.95) for load in loads]):.2f})"
                    for phase in PHASES
                ),
                f"{median([load.speed_index for load in loads]):.2f}",
                f"{median([load.late for load in loads]):.2f}",
                f"{median([load.total for load in loads]):.2f}",
            ]
        )
    return Table(
        f"{count} images at {megabits:g} Mbit/s: seconds until half of the images (95 % of them) have each phase, the mean "
        "over the images of what is not seen, seconds that the late urgent image takes, and seconds of all.",
        ["", *PHASES, "speed index", "late", "all"],
        rows,
    )


def targets_of(by_peer):
    def ratios(phase, of, to):
        return Spread([ours / theirs for ours, theirs in zip(medians(by_peer[of], phase), medians(by_peer[to], phase))])

    over_fifo = ratios("first", "optimux phases", "optimux fifo")
    targets = [
        Target(
            "median time to the first usable scan, phases over fifo", "<= 0.35", over_fifo.text(), over_fifo.median <= 0.35
        )
    ]
    peers = [name for name in by_peer if not name.startswith("optimux")]
    if peers:
        best = min(peers, key=lambda name: median(medians(by_peer[name], "first")))
        over_best = ratios("first", "optimux phases", best)
        targets.append(
            Target(f"the same over the best other server ({best})", "<= 0.6", over_best.text(), over_best.median <= 0.6)
        )
    total = Spread([a.total / b.total for a, b in zip(by_peer["optimux phases"], by_peer["optimux fifo"])])
    targets.append(Target("total time, phases over fifo", "<= 1.02", total.text(), total.median <= 1.02))
    return targets


def plots_of(by_peer):
    first = [Spread(medians(loads, "first")) for loads in by_peer.values()]
    good = [Spread(medians(loads, "good")) for loads in by_peer.values()]
    names = [name.replace("optimux ", "") for name in by_peer]
    bars = [
        Bars(phase, [spread.median for spread in spreads], [(spread.low, spread.high) for spread in spreads])
        for phase, spreads in (("first usable scan", first), ("nothing visibly missing", good))
    ]
    end = max(load.total for loads in by_peer.values() for load in loads)
    moments = [end * step / 100 for step in range(101)]
    lines = [
        Line(
            name.replace("optimux ", ""), [(at, 100 * loads[0].completeness(at)) for at in moments], marks=False,
            dashed=not name.startswith("optimux")
        )
        for name, loads in by_peer.items()
        if name not in ("optimux rfc9218",)
    ]
    title = f"{MAIN[1]} progressive JPEGs at {MAIN[0]} Mbit/s"
    plots = {
        "priority.svg": bar_plot(f"{title}: median image", Axis("seconds"), names, bars),
        "priority-completeness.svg": line_plot(
            f"{title}: what is seen", Axis("seconds since the first request"), Axis("mean completeness, %"), lines
        ),
    }
    for policy in ("phases", "fifo"):
        plots[f"priority-waterfall-{policy}.svg"] = waterfall(
            f"{title}: {policy}", by_peer[f"optimux {policy}"][0].times, end
        )
    return plots
