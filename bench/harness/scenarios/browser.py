"""A page in Chromium over TLS and a slow link: what it shows when, and whether what is in view comes first."""

import json
import pathlib
import shutil
import subprocess
import sys

import h2_servers
from link import SERVER, Link
from page import Page, call
from section import Section, Table
from server import NotHere
from spread import Spread, median

MEGABITS = 5
IMAGES = 50
SHOTS = (0.5, 1, 2, 4)  # seconds
POLICIES = ("phases", "fifo")
PAGE_PORT = 8080
METHOD = """Headless Chromium opens a page of {images} progressive JPEGs over TLS and a link of {megabits} Mbit/s (a token
bucket between two network namespaces). Screenshots are taken after {shots} seconds. A second page shows the same
images bottom up, so that those that are asked for last are in view: the browser learns that when it lays the page
out, and tells the server by RFC 7540 PRIORITY frames. Servers take turns, {rounds} rounds."""
HEAD = """<!doctype html><meta charset="utf-8"><title>page</title>
<style>body{margin:0}img{width:230px;height:172px;margin:4px;object-fit:cover;background:#ddd}</style>
"""
BOTTOM_UP = "<style>body{display:flex;flex-wrap:wrap-reverse}</style>"


def run(bench):
    if reason := Link.why_not() or why_no_browser():
        raise NotHere(reason)
    certificate = make_certificate(bench.scratch)
    page = Page(bench, IMAGES)
    others, missing = page.others(certificate)
    peers = [page.ours(SERVER, policy, certificate) for policy in POLICIES] + others
    rounds = bench.pick(3, 1)
    seen = {peer.name: [] for peer in peers}
    with Link(MEGABITS) as link, page_server(bench, link):
        for number in range(rounds):
            for peer in peers[number % len(peers) :] + peers[: number % len(peers)]:
                seen[peer.name].append(visit(bench, link, page, peer))
    return describe(seen, missing, rounds)


def why_no_browser():
    missing = [tool for tool in ("chromium", "chromedriver") if not shutil.which(tool)]
    if subprocess.run([sys.executable, "-c", "import selenium"], capture_output=True, check=False).returncode != 0:
        missing.append("python3-selenium")
    return f"not installed: {', '.join(missing)} (Debian chromium, chromium-driver, python3-selenium)" if missing else ""


def make_certificate(folder):
    made = h2_servers.Certificate(folder.resolve() / "page.pem", folder.resolve() / "page.key")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={SERVER}"]
    call([*command, "-addext", f"subjectAltName=IP:{SERVER}", "-keyout", made.key, "-out", made.certificate])
    return made


class page_server:
    """Serves the HTML itself, which is none of the servers' business, at the link's server end."""

    def __init__(self, bench, link):
        folder = bench.scratch / "html"
        folder.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "http.server", "-d", str(folder), "--bind", SERVER, str(PAGE_PORT)]
        self.command = link.at("server", command)

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def visit(bench, link, page, peer):
    """What was seen of two loads: from the top, and bottom up."""
    name = peer.name.replace(" ", "-")
    images = "\n".join(
        f'<img src="https://{SERVER}:{h2_servers.PORT}{path.replace("&", "&amp;")}">' for path in peer.paths(page.names)
    )
    for kind, style in (("down", ""), ("up", BOTTOM_UP)):
        (bench.scratch / "html" / f"{name}-{kind}.html").write_text(HEAD + style + images, encoding="utf-8")
    shots = bench.scratch / f"shots-{name}"
    shots.mkdir(exist_ok=True)
    with peer.running(link, bench.scratch / "h2-server.log"):
        open_page(link, f"{name}-down", shots, "", end="server")  # fills caches
        down = open_page(link, f"{name}-down", shots, ",".join(map(str, SHOTS)))
        up = open_page(link, f"{name}-up", shots, "")
    in_view = [seconds for url, seconds in up["images"].items() if url in up["in_view"]]
    others = [seconds for url, seconds in up["images"].items() if url not in up["in_view"]]
    return {"total": max(down["images"].values()), "in_view": median(in_view), "others": median(others)}


def open_page(link, name, folder, moments, end="client"):
    program = pathlib.Path(__file__).resolve().parents[1] / "browser_page.py"
    url = f"http://{SERVER}:{PAGE_PORT}/{name}.html"
    return json.loads(call(link.at(end, [sys.executable, str(program), url, str(folder), moments])))


def describe(seen, missing, rounds):
    shots = ", ".join(f"{at:g}" for at in SHOTS)
    method = METHOD.format(images=IMAGES, megabits=MEGABITS, shots=shots, rounds=rounds)
    part = Section("browser", "A page in a browser", method)
    rows = [
        [name, *(Spread([load[key] for load in loads]).text(2) for key in ("total", "in_view", "others"))]
        for name, loads in seen.items()
    ]
    part.tables = [
        Table(
            "Seconds until all images of the page have come; until half of the images in view of the page that is shown "
            "bottom up have; and until half of its others have.",
            ["", "all", "in view, asked for last", "not in view"],
            rows,
        )
    ]
    part.notes = ["The screenshots lie in the build folder, `bench-scratch/shots-*`."]
    if missing:
        part.notes.append(f"Not installed, so not measured: {', '.join(missing)}.")
    return part
