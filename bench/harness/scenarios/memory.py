"""Peak memory at 16 connections, and resident memory after 1,000 and 10,000 mixed requests."""

import random

from bench import asset
from section import Section, Table, Target
from server import BenchError
from svg import Axis, Line, Mark, line_plot

PEAK_WANTED = 200  # MiB
GROWTH_WANTED = 1.2
CACHE = "16MiB"
METHOD = """*Peak*: a fresh server with its default settings makes {peak_requests} renditions of distinct photos
(300 and 1600 wide, WebP and JPEG) over 16 connections; the figure is the kernel's high-water mark of resident
memory (VmHWM), shared libraries included. *Growth*: another fresh server answers {total} mixed requests over 16
connections: JPEG, PNG, WebP, GIF and AVIF of 32 to 400 pixels from six small sources and the 12-megapixel photo,
three sizes as JSON, repeated requests, and one request in eight that fails (unknown parameter, broken source, no
picture, no such key). Its memory cache is set to {cache}, which is full before the first reading, so that growth
after it is no cache that fills up. Resident memory is read (VmRSS) every {step} requests, when nothing is under
way."""


def run(bench):
    peak = measure_peak(bench)
    readings = measure_growth(bench)
    return describe(bench, peak, readings)


def peak_requests(bench):
    return bench.pick(320, 32)


def measure_peak(bench):
    parameters = (
        "sizes=300x0&format=webp&quality=60",
        "sizes=1600x0&format=jpeg",
        "sizes=300x0&format=jpeg",
        "sizes=1600x0&format=webp&quality=60",
    )
    with bench.server() as server:
        idle, _ = server.memory()
        keys = bench.workspace.fresh(peak_requests(bench))
        # Blocks of four, so that photos and parameters meet in all combinations.
        targets = [asset(key, parameters[(index // 4 + index) % 4]) for index, key in enumerate(keys)]
        bench.load(server, targets, connections=16, requests=len(targets)).require(200)
        resident, highest = server.memory()
    return {"idle": idle, "resident": resident, "highest": highest}


def mixed_targets(bench, count):
    """The same list in every run: the generator's seed is fixed."""
    chance = random.Random(20_001)
    workspace = bench.workspace
    broken = workspace.make_broken()
    targets = []
    for _ in range(count):
        kind = chance.random()
        width = chance.randrange(32, 401)
        if kind < 1 / 8:
            targets.append(
                chance.choice(
                    [asset(key, f"sizes={width}x0") for key in broken]
                    + [asset(workspace.photo, f"sizes={width}x0&colour=red")]
                )
            )
        elif kind < 1 / 4 and targets:
            targets.append(targets[chance.randrange(len(targets))])
        elif kind < 0.30:
            targets.append(asset(workspace.photo, f"sizes={width}x0&format=webp"))
        elif kind < 0.35:
            targets.append(
                asset(
                    chance.choice(workspace.mixed[2:]),
                    f"sizes={width}x0,{width // 2}x0,{2 * width}x0&format=jpeg&encoder=json",
                )
            )
        elif kind < 0.38:
            targets.append(asset(workspace.mixed[2], f"sizes={min(width, 96)}x0&format=avif"))
        else:
            made = chance.choice(("jpeg", "png", "webp", "gif"))
            targets.append(
                asset(chance.choice(workspace.mixed), f"sizes={width}x0&format={made}&quality={width % 60 + 30}")
            )
    return targets


def measure_growth(bench):
    """[(requests so far, resident MiB, open descriptors)]."""
    step = bench.pick(500, 20)
    targets = mixed_targets(bench, 20 * step)
    readings = []
    with bench.server("--memory-cache", CACHE) as server:
        for begin in range(0, len(targets), step):
            bench.load(server, targets[begin : begin + step], connections=16, requests=step).require(
                200, 400, 404, 415, 422
            )
            readings.append((begin + step, server.memory()[0], server.descriptors()))
        status, _, _ = server.get("/health")
        if status != 200:
            raise BenchError(f"/health answered {status} afterwards")
    return readings


def describe(bench, peak, readings):
    step, total = readings[0][0], readings[-1][0]
    resident = {count: mib for count, mib, _ in readings}
    growth = resident[total] / resident[2 * step]
    part = Section(
        "memory", "Memory", METHOD.format(peak_requests=peak_requests(bench), total=total, cache=CACHE, step=step)
    )
    part.targets = [
        Target(
            "peak resident memory at 16 connections",
            f"<= {PEAK_WANTED} MB",
            f"{peak['highest'] * 1.048576:.0f} MB",
            peak["highest"] * 1.048576 <= PEAK_WANTED,
        ),
        Target(
            f"resident after {total} requests over after {2 * step}",
            f"<= {GROWTH_WANTED}",
            f"{growth:.3f}",
            growth <= GROWTH_WANTED,
        ),
    ]
    part.tables = [
        Table(
            "Peak, in MiB.",
            ["idle after start", "highest", "resident after the last answer"],
            [[f"{peak[name]:.0f}" for name in ("idle", "highest", "resident")]],
        ),
        Table(
            "Growth.",
            ["requests", "resident MiB", "open descriptors"],
            [[str(count), f"{mib:.1f}", str(open_)] for count, mib, open_ in readings if count % (2 * step) == 0],
        ),
    ]
    part.plots["memory.svg"] = line_plot(
        "Resident memory over mixed requests",
        Axis("requests answered"),
        Axis("MiB resident"),
        [Line("resident", [(count, mib) for count, mib, _ in readings])],
        [Mark(f"{GROWTH_WANTED} times that after {2 * step}", GROWTH_WANTED * resident[2 * step])],
    )
    return part
