"""Time to the first byte of a rendition against time to its last."""

from bench import asset
from section import Section, Table
from spread import Spread, median
from svg import Axis, Bars, bar_plot

CASES = (
    ("300 wide WebP", "photo", "sizes=300x0&format=webp&quality=60"),
    ("1600 wide JPEG", "photo", "sizes=1600x0&format=jpeg"),
    ("1600 wide WebP", "photo", "sizes=1600x0&format=webp&quality=60"),
    ("12 Mpx JPEG", "photo", "sizes=0x0&format=jpeg&quality=90"),
    ("33 Mpx JPEG", "large", "sizes=0x0&format=jpeg&quality=90"),
    ("12 Mpx PNG", "photo", "sizes=0x0&format=png&effort=1"),
)
METHOD = """One connection, one request at a time, each for a source of its own, {repeats} of each kind; the kinds
take turns. *First* is from the request to the first byte of the body, *last* to its last byte. The server sends
nothing before all pixels have been decoded without error, because a broken source has to be an error and never half
a picture; what lies between first and last is encoding, and that is streamed. WebP has its length in its first
bytes, so that an encoder cannot give any before it is done."""


def run(bench):
    repeats = bench.pick(9, 1)
    samples = {name: [] for name, _, _ in CASES}
    with bench.warm_server() as server:
        for _ in range(repeats):
            for name, source, parameters in CASES:
                targets = [
                    asset(key, parameters) for key in bench.workspace.fresh(1, [getattr(bench.workspace, source)])
                ]
                samples[name] += bench.load(server, targets, connections=1, requests=1).require(200).samples
    return describe(repeats, samples)


def describe(repeats, samples):
    part = Section("first-byte", "First byte against last", METHOD.format(repeats=repeats))
    first = {name: Spread([s.first_byte_ms for s in values]) for name, values in samples.items()}
    last = {name: Spread([s.latency_ms for s in values]) for name, values in samples.items()}
    part.tables = [
        Table(
            "Milliseconds, and the share of the whole time after which the first byte came.",
            ["rendition", "bytes", "first", "last", "first / last"],
            [
                [
                    name,
                    f"{median([s.bytes for s in values]):,.0f}",
                    first[name].text(1),
                    last[name].text(1),
                    f"{first[name].median / last[name].median:.2f}",
                ]
                for name, values in samples.items()
            ],
        )
    ]
    series = [
        Bars(
            title,
            [spread[name].median for name in samples],
            [(spread[name].low, spread[name].high) for name in samples],
        )
        for title, spread in (("first byte", first), ("last byte", last))
    ]
    part.plots["first-byte.svg"] = bar_plot(
        "First and last byte, one connection", Axis("milliseconds since the request"), list(samples), series
    )
    return part
