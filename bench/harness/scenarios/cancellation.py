"""How long a worker goes on after the client has left."""

import socket
import struct
import time

from bench import asset
from section import Section, Table, Target
from spread import Spread, percentile

WANTED_MS = 100
LEAVING_MS = (20, 100, 300)  # after the worker has begun
LONGEST = 90.0  # seconds that a worker may go on before the measurement gives up
CASES = (
    ("12 Mpx JPEG", "sizes=0x0&format=jpeg"),
    ("12 Mpx PNG", "sizes=0x0&format=png&effort=6"),
    ("2000 wide, blurred", "sizes=2000x0&format=jpeg&blur=20"),
    ("2000 wide WebP", "sizes=2000x0&format=webp"),
    ("2000 wide AVIF", "sizes=2000x0&format=avif"),
    ("1000 wide GIF", "sizes=1000x0&format=gif"),
)
METHOD = """One client at a time asks for a rendition of a 12-megapixel photo, waits until a worker has the job, and resets
its connection {leaving} ms later, in turn; {repeats} times each. From then on the image pool is asked again and again
until no worker has a job; an answer takes {probe} ms. Runs whose rendition was finished before the client left are not
counted. Decoding and resizing are interrupted between two strips of rows; an encoder that makes its bytes in one
call of its library (AVIF, GIF, WebP) only where that library offers it."""


def run(bench):
    repeats = bench.pick(7, 1)
    samples = {name: [] for name, _ in CASES}
    with bench.warm_server("--request-deadline", "2m") as server:
        probe = Spread([timed(server.image_pool) for _ in range(20)])
        for _ in range(repeats):
            for name, parameters in CASES:
                for leaving in LEAVING_MS:
                    (key,) = bench.workspace.fresh(1, [bench.workspace.photo])
                    samples[name].append(time_to_stop(server, asset(key, parameters), leaving / 1000))
    return describe(repeats, probe, {name: [s for s in values if s is not None] for name, values in samples.items()})


def timed(call):
    """Milliseconds that `call` takes."""
    began = time.monotonic()
    call()
    return (time.monotonic() - began) * 1000


def time_to_stop(server, target, leaving):
    """Milliseconds from the client's leaving until no worker has a job; None if it came too late to leave."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() resets
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        limit = time.monotonic() + LONGEST
        while server.image_pool()["in_flight"] == 0 and time.monotonic() < limit:
            pass
        time.sleep(leaving)
        if server.image_pool()["in_flight"] == 0:
            return None
    left = time.monotonic()
    while server.image_pool()["in_flight"] > 0 and time.monotonic() < left + LONGEST:
        pass
    return (time.monotonic() - left) * 1000


def describe(repeats, probe, samples):
    leaving = ", ".join(str(moment) for moment in LEAVING_MS)
    part = Section(
        "cancellation",
        "Stopping for nobody",
        METHOD.format(leaving=leaving, repeats=repeats, probe=f"{probe.median:.1f}"),
    )
    everything = [value for values in samples.values() for value in values]
    slowest = percentile(everything, 0.95)
    part.targets = [
        Target(
            "A worker stops after its last client has left", f"within {WANTED_MS} ms (95 of 100)",
            f"{slowest:.0f} ms", slowest <= WANTED_MS,
        )
    ]
    part.tables = [
        Table(
            "Milliseconds from the client's leaving until no worker has a job.",
            ["rendition", "median and range", "95 of 100 within", f"within {WANTED_MS} ms"],
            [
                [name, Spread(values).text(0), f"{percentile(values, 0.95):.0f}", share_in_time(values)]
                for name, values in samples.items()
            ],
        )
    ]
    return part


def share_in_time(values):
    return f"{sum(value <= WANTED_MS for value in values)} of {len(values)}"
