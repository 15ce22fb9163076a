"""Holds the layers of docs/architecture.md: reads every #include of the tree and names those that point upward.

System headers compile from anywhere, so no build error would tell; this test does. Exit code 1 when one is found.
"""

import pathlib
import re
import sys

# What each room may include of the house's own layers, itself included.
LAYERS = {
    "src/base": {"base"},
    "src/media": {"media", "base"},
    "src/source": {"source", "base"},
    "src/http": {"http", "base"},
    "src/service": {"service", "media", "source", "base", "optimux/pool", "advisor"},
    "src/server": {"server", "http", "service", "source", "base"},
    "apps/optimux": {"apps", "server", "service", "media", "source", "http", "base", "optimux/pool", "advisor", "simulator", "plot"},
    # Tools about pools, each a library of its own; before the pool, whose folder they share.
    "pool/advisor": {"advisor", "optimux/pool"},
    "pool/simulator": {"simulator", "optimux/pool"},
    "pool/plot": {"plot"},
    "pool": {"optimux/pool"},
}
# Commands of the binary that must work without a server. `serve` alone may know the upper layers, and `h2` the one
# whose scheduler it simulates.
SERVERLESS = re.compile(r"apps/optimux/(?!main\.|serve|settings|.*options?)")
WITHOUT_HTTP = re.compile(r"apps/optimux/(?!main\.|serve|settings|h2/|.*options?)")
OWN = {"base", "media", "source", "http", "service", "server", "apps", "optimux/pool", "advisor", "simulator", "plot"}

# Third-party headers and the rooms that may include them; those not named may be included from nowhere.
PACKAGES = [
    (re.compile(r"^(vips/|glib|gobject)"), {"src/media"}),
    (re.compile(r"^zlib\.h$"), {"src/media"}),
    (re.compile(r"^curl/"), {"src/source", "apps/optimux"}),
    (re.compile(r"^boost/beast"), {"src/http"}),
    (re.compile(r"^boost/"), {"src/server", "src/http"}),
    (re.compile(r"^openssl/"), {"src/server", "src/base"}),
    (re.compile(r"^nghttp2/"), {"src/http"}),
    (re.compile(r"^prometheus/"), {"src/server"}),
    (re.compile(r"^nlohmann/"), {"src/server", "src/service", "src/source", "src/http", "apps/optimux"}),
    (re.compile(r"^spdlog/"), {"src/base"}),
    (re.compile(r"^xxhash"), {"src/base"}),
    (re.compile(r"^tl/"), {"src/base"}),
    (re.compile(r"^CLI/"), {"apps/optimux"}),
    (re.compile(r"^toml"), {"apps/optimux"}),
]
# The standard library, POSIX and Linux: a name without a slash, or one of these folders.
SYSTEM = re.compile(r"^([a-z0-9_]+(\.h)?|(sys|linux|netinet|arpa|net|asm)/[a-z0-9_]+\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def own_layer(name):
    """The layer that an included header belongs to, or None for a header of somebody else."""
    for layer in OWN:
        if name.startswith(layer + "/"):
            return layer
    return None


def room_of(path):
    for room in LAYERS:
        if path.startswith(room + "/"):
            return room
    return None


def complaint(path, name):
    """Why `path` may not include `name`; None when it may."""
    room = room_of(path)
    layer = own_layer(name)
    if layer is not None:
        if layer not in LAYERS[room]:
            return f"{room} may not know {layer}"
        serverless = {"server": SERVERLESS, "http": WITHOUT_HTTP}.get(layer)
        if serverless and serverless.match(path):
            return f"a command may not know {layer}"
        return None
    for pattern, rooms in PACKAGES:
        if pattern.match(name):
            return None if room in rooms else f"{room} may not use this package"
    if SYSTEM.match(name):
        return None
    return None if "/" not in name and room == "pool" else "an unknown header: give it a row in the table of check_layers.py"


def check(root):
    """All complaints about the sources below `root`, one text each."""
    found = []
    for room in LAYERS:
        for folder in [room] if room != "pool" else ["pool/include", "pool/src"]:
            for file in sorted((root / folder).rglob("*.?pp")):
                path = file.relative_to(root).as_posix()
                for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
                    reason = complaint(path, name)
                    if reason:
                        found.append(f"{path}: #include {name}: {reason}")
    return found


def main():
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every include points downward")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
