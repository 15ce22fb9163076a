"""Many renditions of small pictures, and what must be the same each time that one is asked for."""

from support import client, media

# What may differ between two answers with the same rendition.
PASSING_FIELDS = {"age", "server-timing", "x-request-id", "date", "transfer-encoding", "content-length"}
FORMATS = ("jpeg", "webp", "png")


def lasting(response: client.Response) -> tuple:
    """Of an answer, what a rendition has for as long as it lasts: status, body, and headers in their order."""
    fields = [(name.lower(), value) for name, value in response.headers if name.lower() not in PASSING_FIELDS]
    return response.status, fields, response.body


def place(response: client.Response) -> str:
    """Where the answer came from: hit (memory), disk, store, joined or miss."""
    return response.header("Server-Timing").split(";desc=")[1].split(",")[0]


def targets(count: int, origin=None, root=None) -> list[str]:
    """So many different renditions of two small pictures of the store, the last of them a description. With an `origin`
    every second one is fetched from there."""
    names = [media.QUARTERS_PNG, media.QUARTERS_JPEG]
    made = []
    for index in range(count - 1):
        name, kind = names[index // 2 % 2], FORMATS[index % 3]
        parameters = {"sizes": f"{20 + index // 4}x0", "format": kind}
        if origin is not None and index % 2:
            made.append(client.resize(origin.url(f"/{name}"), **parameters))
        else:
            made.append(client.asset(name, **parameters))
    if origin is not None:
        for name in names:
            origin.serve_bytes(f"/{name}", (root / name).read_bytes())
    return made + [f"/optimux/info/{media.QUARTERS_JPEG}"]
