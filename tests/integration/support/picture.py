"""Pictures as tests look at them: format by magic bytes, size, metadata and pixels by way of the `vips` command."""

import dataclasses
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

_MAGIC = [
    ("jpeg", re.compile(rb"\xff\xd8\xff")),
    ("png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("webp", re.compile(rb"RIFF....WEBP", re.DOTALL)),
    ("gif", re.compile(rb"GIF8[79]a")),
    ("avif", re.compile(rb"....ftypavi[fs]", re.DOTALL)),
]


def format_of(data: bytes) -> str:
    for name, pattern in _MAGIC:
        if pattern.match(data):
            return name
    raise AssertionError(f"no picture begins with {data[:32]!r}")


def vips(*arguments) -> str:
    """Runs the `vips` command; what it prints."""
    done = subprocess.run(["vips", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"vips {arguments}: {done.stderr}"
    return done.stdout.strip()


def header_of(path: pathlib.Path | str) -> dict[str, str]:
    """All fields that libvips knows of a file, by its names for them, without decoding any pixel."""
    done = subprocess.run(["vipsheader", "-a", path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"vipsheader {path}: {done.stderr}"
    return dict(line.split(": ", 1) for line in done.stdout.splitlines()[1:] if ": " in line)


@dataclasses.dataclass
class Picture:
    """Decoded pixels, all pages one below the other, and the metadata that stood beside them."""

    width: int
    height: int  # Of one page.
    pages: int
    bands: int
    bits: int
    fields: dict[str, str]  # Metadata by libvips' names, as in `orientation`, `interlaced`, `delay`.
    pixels: bytes

    @classmethod
    def load(cls, path: pathlib.Path | str, options: str = "") -> "Picture":
        """Reads a file; `options` as the `vips` command has them, as in `[n=-1]`."""
        if str(path).endswith(".v"):
            return cls._parse(pathlib.Path(path).read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            decoded = f"{folder}/picture.v"
            vips("copy", f"{path}{options}", decoded)
            return cls._parse(pathlib.Path(decoded).read_bytes())

    @classmethod
    def read(cls, data: bytes, options: str = "") -> "Picture":
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, f"picture.{format_of(data)}")
            path.write_bytes(data)
            return cls.load(path, options)

    @classmethod
    def read_all_pages(cls, data: bytes) -> "Picture":
        return cls.read(data, "[n=-1]")

    @classmethod
    def _parse(cls, data: bytes) -> "Picture":
        # libvips' own format: a head of 64 bytes, the pixels, and metadata in XML.
        width, height, bands, _, band_format = struct.unpack_from("<5i", data, 4)
        bits = {0: 8, 2: 16, 6: 32}[band_format]
        end = 64 + width * height * bands * bits // 8
        found = re.findall(r'<field type="\w+" name="([^"]*)">([^<]*)</field>', data[end:].decode("utf-8", "replace"))
        fields = {name: value.strip() for name, value in found}
        page_height = int(fields.get("page-height", height))
        return cls(width, page_height, height // page_height, bands, bits, fields, data[64:end])

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    def has_equal_pages(self) -> bool:
        return self.pixels == self.pixels[: len(self.pixels) // self.pages] * self.pages

    def at(self, x: float, y: float) -> tuple[int, ...]:
        """The pixel at parts of width and height, 0 to 1, of the first page."""
        column = min(int(x * self.width), self.width - 1)
        row = min(int(y * self.height), self.height - 1)
        assert self.bits == 8
        start = (row * self.width + column) * self.bands
        return tuple(self.pixels[start : start + self.bands])

    def looks_like(self, x: float, y: float, colour: tuple[int, ...], distance: int = 40) -> bool:
        """Whether each channel of a pixel is near that of `colour`."""
        return all(abs(have - want) <= distance for have, want in zip(self.at(x, y), colour, strict=True))


RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 160, 60), (40, 60, 200), (230, 210, 40)
QUARTERS = {(0.25, 0.25): RED, (0.75, 0.25): GREEN, (0.25, 0.75): BLUE, (0.75, 0.75): YELLOW}


def quarters(picture: Picture) -> list[str]:
    """The names of the colours in the middle of the four quarters: north west, north east, south west, south east."""
    names = {"red": RED, "green": GREEN, "blue": BLUE, "yellow": YELLOW}
    return [
        next((name for name, colour in names.items() if picture.looks_like(x, y, colour)), str(picture.at(x, y)))
        for x, y in QUARTERS
    ]


def png(width: int, height: int, pixel, alpha: bool = False) -> bytes:
    """Encodes a PNG; `pixel(x, y)` gives the channels."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">2I5B", width, height, 8, 6 if alpha else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def quarters_png(width: int = 400, height: int = 300) -> bytes:
    """Four quarters of four colours: tells from any corner what was turned, flipped or cut."""

    def pixel(x, y):
        return QUARTERS[(0.25 if x < width // 2 else 0.75, 0.25 if y < height // 2 else 0.75)]

    return png(width, height, pixel)
