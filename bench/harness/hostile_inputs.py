"""What is sent to do harm: pictures that claim too much or are broken, requests that are none, parameters out of range."""

import gzip
import random
import struct
import zlib

HARMLESS = {"looks-like-svg.webp"}  # of the corpus: it looks dangerous, and is a picture


def pictures(corpus, whole):
    """{name: bytes} of sources that must not become a rendition; `whole` is a good JPEG."""
    found = {path.name: path.read_bytes() for path in sorted(corpus.glob("*")) if path.name not in HARMLESS}
    made = {
        "bomb.png": png_head(60_000, 60_000),
        "wide.png": png_head(2_000_000, 1),
        "half.jpg": whole[: len(whole) // 2],
        "start.jpg": whole[:200],
        "empty.jpg": b"",
        "page.jpg": b"<!doctype html><script>alert(1)</script>",
        "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        "packed.svgz": gzip.compress(b"<svg>" + bytes(10_000_000) + b"</svg>"),
        "frames.gif": many_frames(20_000),
        "zeros.png": b"\x89PNG\r\n\x1a\n" + bytes(100_000),
        "noise.jpg": whole[:2] + random.Random(3).randbytes(100_000),
    }
    return found | made


def targets(asset):
    """Request targets that must be refused; `asset` is the key of a good picture."""
    path = f"/optimux/assets/{asset}"
    return [
        f"{path}?sizes=99999x99999&enlarge=true",
        f"{path}?sizes=0x0x0",
        f"{path}?quality=1e9",
        f"{path}?crop=-1,-1,5,5",
        f"{path}?format=exe",
        f"{path}?{'sizes=1x1&' * 1000}",
        f"{path}?blur=nan",
        "/optimux/assets/..%2f..%2fetc/passwd",
        "/optimux/assets/%00",
        "/resize?image_url=http://127.0.0.1:22/",
        "/resize?image_url=http://169.254.169.254/latest/meta-data/",
        "/resize?image_url=file:///../etc/passwd",
        "/resize?image_url=" + "A" * 7000,
        "/nowhere",
    ]


# Bytes that are no request: each is answered with an error or by the end of its connection.
NO_REQUESTS = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(range(256)),
    bytes(5000),
    b"GET / HTTP/1.1\r\nHost: never-ends",
)


def png_head(width, height):
    """A PNG that claims any size and has next to no pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(bytes(10_000)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + pixels + chunk(b"IEND", b"")


def many_frames(count):
    """An animated GIF of frames of one pixel, no two in a row alike."""

    def frame(index):
        pixel = b"\x02\x02\x44\x01\x00" if index % 2 == 0 else b"\x02\x02\x4c\x01\x00"
        return b"\x21\xf9\x04\x00\x0a\x00\x00\x00\x2c" + struct.pack("<4HB", 0, 0, 1, 1, 0) + pixel

    head = b"GIF89a" + struct.pack("<2H3B", 1, 1, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    return head + b"".join(frame(index) for index in range(count)) + b"\x3b"
