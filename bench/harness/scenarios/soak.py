"""Half an hour at twice the capacity, with hostile inputs, clients that leave and an origin that fails. Only by name.

`./dev bench soak --minutes N` takes so many minutes instead.
"""

import asyncio
import subprocess
import time

import hostile_inputs
from faulty_origin import FAULTS, FaultyOrigin
from section import Section, Table, Target
from server import BenchError
from soak_traffic import Traffic
from spread import Spread, median, percentile
from svg import Axis, Line, Mark, line_plot

ONLY_BY_NAME = True
TIMES, HOSTILE, LEAVING, FAILING = 2, 0.10, 0.20, 0.05
GOODPUT_WANTED, GROWTH_WANTED = 0.80, 1.10
SETTLE = 20.0  # seconds after the last answer in which everything must have become idle
READING = 2.0  # seconds between two readings of the memory
OPTIONS = (
    "--memory-cache=32MiB",
    "--source-cache=32MiB",
    "--disk-cache=64MiB",
    "--disk-source-cache=64MiB",
    "--fetch-timeout=3s",
)
METHOD = """An origin on another address of the machine gives {photos} photos of {width} pixels width. First the peak:
{clients} clients that ask without a pause for {peak_seconds} s, nearly each time for a source and a rendition that
nobody has asked for; the median of three runs, the caches filling. Then {minutes:g} minutes of requests by the clock at
{times} times that rate, each on a connection of its own: {hostile:.0%} mean harm (sources that claim too much, are broken
or are no pictures; parameters out of range; bytes that are no request), {leaving:.0%} leave within half a second,
and {failing:.0%} of what the origin is asked for fails (503, an early end, a stall). Goodput counts whole
renditions with the bytes of the first of their kind. The caches are small ({options}), so that they are full soon.
Resident memory (VmRSS) is read every {reading:g} s; of the first {warm:g} minutes it is not judged. Generator and origin
share the machine with the server, in both parts."""


def run(bench):
    photos = small_photos(bench)
    hostile = hostile_inputs.pictures(bench.corpus / "hostile", next(iter(photos.values())))
    cache = f"--cache-dir={bench.scratch / 'soak-cache'}"
    with bench.server(*OPTIONS, "--allow-source=127.0.0.2/32", cache) as server:
        return asyncio.run(Soak(bench, server, photos, hostile).run())


def small_photos(bench):
    """{name: bytes}: wide enough for a decoder to have work, and small enough for the origin not to have much."""
    made = {}
    for key in bench.workspace.photos[:20]:
        path = bench.scratch / "soak-photo.jpg"
        subprocess.run(["vips", "thumbnail", bench.workspace.path(key), f"{path}[Q=80]", str(WIDTH)], check=True)
        made[key.rpartition("/")[2]] = path.read_bytes()
    return made


WIDTH = 2400


class Soak:
    """One run: the peak, the long part, and how things are afterwards."""

    def __init__(self, bench, server, photos, hostile):
        self.bench, self.server, self.photos, self.hostile = bench, server, photos, hostile
        self.minutes = bench.minutes or bench.pick(30, 0.5)
        self.peak_seconds = bench.pick(20, 4)
        self.clients = 4 * bench.cpus
        self.readings = []  # (seconds since the long part began, MiB, descriptors)

    @property
    def warm_minutes(self):
        return min(5, self.minutes / 3)

    async def run(self):
        async with FaultyOrigin(self.photos | self.hostile) as origin:
            traffic = Traffic(
                self.server.port, origin, list(self.photos), list(self.hostile), self.bench.workspace.photo
            )
            self.peak = Spread([await traffic.closed_loop(self.clients, self.peak_seconds) for _ in range(3)])
            origin.share = FAILING
            reader = asyncio.create_task(self.read_memory())
            await traffic.open_loop(TIMES * self.peak.median, 60 * self.minutes, HOSTILE, LEAVING)
            reader.cancel()
            origin.share = 0.0
            return self.describe(traffic, origin.answers, self.idle_after())

    async def read_memory(self):
        begun = time.monotonic()
        while True:
            self.readings.append((time.monotonic() - begun, self.server.memory()[0], self.server.descriptors()))
            await asyncio.sleep(READING)

    def idle_after(self):
        """Whether the server has become idle, and answers."""
        pool = self.server.idle_image_pool(SETTLE)
        limit = time.monotonic() + SETTLE
        while self.gauge("optimux_renditions_in_flight") > 0 and time.monotonic() < limit:
            time.sleep(0.05)
        if self.server.get("/health")[0] != 200:
            raise BenchError("/health was not answered with 200 afterwards")
        left = [pool["queue_depth"], pool["in_flight"]]
        return left + [self.gauge(name) for name in ("optimux_renditions_in_flight", "optimux_decoded_bytes_in_use")]

    def gauge(self, name):
        lines = self.server.get("/metrics", admin=True)[2].decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(name + " "))

    # Figures.

    def describe(self, traffic, answers, left):
        part = Section("soak", "Soak", self.method())
        seconds = int(60 * self.minutes)
        goodput = sum(count for second, count in traffic.good.items() if second < seconds) / seconds
        begin, end = self.memory_of_part(0), self.memory_of_part(4)
        part.targets = [
            Target(
                "goodput over peak", f">= {GOODPUT_WANTED}",
                f"{goodput / self.peak.median:.3f} ({goodput:.1f} of {self.peak.text(1)} a second)",
                goodput >= GOODPUT_WANTED * self.peak.median,
            ),
            Target(
                f"resident memory, last fifth over first fifth after {self.warm_minutes:g} minutes",
                f"<= {GROWTH_WANTED}", f"{end / begin:.3f} ({begin:.0f} to {end:.0f} MiB)", end <= GROWTH_WANTED * begin,
            ),
            Target("wrong or unexpected answers", "0", str(traffic.wrong.total()), not traffic.wrong),
            Target("left over afterwards (jobs, renditions, decoded bytes)", "0", f"{sum(left):g}", not any(left)),
        ]  # fmt: skip
        part.tables = [self.outcomes_table(traffic), self.minutes_table(traffic), origin_table(answers)]
        part.notes = [f"Unexpected: {count} times {what}." for what, count in traffic.wrong.most_common(20)]
        part.plots["soak.svg"] = self.plot()
        return part

    def method(self):
        return METHOD.format(
            photos=len(self.photos), width=WIDTH, clients=self.clients, peak_seconds=self.peak_seconds,
            minutes=self.minutes, times=TIMES, hostile=HOSTILE, leaving=LEAVING, failing=FAILING,
            options=", ".join(f"`{option}`" for option in OPTIONS), reading=READING, warm=self.warm_minutes,
        )  # fmt: skip

    def memory_of_part(self, fifth):
        """The median of the readings of a fifth of the time that counts."""
        warm = 60 * self.warm_minutes
        length = (60 * self.minutes - warm) / 5
        begin = warm + fifth * length
        return median([mib for second, mib, _ in self.readings if begin <= second <= begin + length])

    def outcomes_table(self, traffic):
        rows = [[kind, outcome, count] for (kind, outcome), count in sorted(traffic.outcomes.items())]
        waits = f"50 of 100 good ones took {percentile(traffic.waits, 0.5):.2f} s at most, 99 {percentile(traffic.waits, 0.99):.2f} s."
        return Table(f"What became of the requests; {waits}", ["client", "outcome", "requests"], rows)

    def minutes_table(self, traffic):
        rows = []
        for minute in range(max(1, int(self.minutes))):
            span = range(60 * minute, 60 * minute + 60)
            readings = [reading for reading in self.readings if int(reading[0]) in span]
            rows.append(
                [
                    minute + 1,
                    f"{sum(traffic.good[second] for second in span) / 60:.1f}",
                    f"{sum(traffic.shed[second] for second in span) / 60:.1f}",
                    f"{median([mib for _, mib, _ in readings]):.0f}",
                    max((open_ for _, _, open_ in readings), default=0),
                ]
            )
        return Table("Minutes.", ["minute", "good a second", "503 and 504 a second", "MiB", "descriptors"], rows)

    def plot(self):
        return line_plot(
            "Resident memory over the run",
            Axis("minutes", high=self.minutes),
            Axis("MiB resident"),
            [Line("resident", [(second / 60, mib) for second, mib, _ in self.readings], marks=False)],
            [Mark(f"{GROWTH_WANTED} times that after {self.warm_minutes:g} minutes", GROWTH_WANTED * self.memory_of_part(0))],
        )


def origin_table(answers):
    return Table("What the origin did.", ["whole", *FAULTS], [[answers[name] for name in ("whole", *FAULTS)]])
