"""The local store: every key that is a file below the root, and no other, however it is written."""

import os
import re
import urllib.parse

import pytest

from support import client, media
from support.picture import Picture

SECRET = b"secret-that-must-not-leave"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A root with a secret beside it, inside a folder whose name begins like the root's, and behind symbolic links."""
    folder = tmp_path_factory.mktemp("store")
    root = media.make_root(folder / "root")
    picture = (root / media.QUARTERS_PNG).read_bytes()
    for place in (folder / "secret.png", folder / "root-leak" / "secret.png"):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(picture + SECRET)
    (root / "static").mkdir()
    (root / "static" / "logo.png").write_bytes(picture)
    (root / "deep" / "down").mkdir(parents=True)
    (root / "deep" / "down" / "file.png").write_bytes(picture)
    os.symlink("../secret.png", root / "link-out.png")
    os.symlink(folder / "secret.png", root / "link-absolute.png")
    os.symlink("..", root / "folder-out")
    os.symlink("link-loop.png", root / "link-loop.png")
    os.mkfifo(root / "pipe.png")
    for name in ODD_NAMES:
        path = os.path.join(os.fsencode(root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(picture)
    return root


ODD_NAMES = [
    b"with space.png",
    b"3js%205-x.jpg",
    b"John_Doe #1 (P 1)[5].jpg",
    "日本/書é.png".encode(),
    b"100%.png",
    b"a+b.png",
    b"q?x=1.png",
    b"a&b=c;d.png",
    b"quote\"'.png",
    b"back\\slash.png",
    b"new\nline.png",
    b"latin-\xe9.png",
    b"..dots..png",
    b"...",
    b"~home.png",
    b"semi;v=1.png",
    b"%2e%2e.png",
    b"colon:name.png",
    b"a/b/c/d/e.png",
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_key_is_used_byte_for_byte_after_one_decoding(server, name):
    response = server.get(client.asset(name, sizes="20x0", format="png"))
    assert response.status == 200, response.body[:300]


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_file_url_names_the_same_file(server, name):
    response = server.get(client.resize("file:///" + urllib.parse.quote(name), sizes="20x0", format="png"))
    assert response.status == 200, response.body[:300]


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_links_to_other_sizes_name_the_same_file(server, name):
    response = server.get(client.asset(name, sizes="40x0,20x0", format="png"))
    target = re.match(r"<([\x21-\x3b\x3d\x3f-\x7e]+)>", response.header("Link"))[1]
    assert Picture.read(server.get(target).body).width == 20


@pytest.mark.parametrize(
    "path",
    [
        "../secret.png",
        "../root-leak/secret.png",
        "%2e%2e/secret.png",
        "..%2fsecret.png",
        "%2e%2e%2fsecret.png",
        "%252e%252e/secret.png",
        "%252e%252e%252fsecret.png",
        "deep/../../secret.png",
        "deep/%2e%2e/%2e%2e/secret.png",
        "./../secret.png",
        "..%5csecret.png",
        "..\\secret.png",
        "....//secret.png",
        "%c0%ae%c0%ae/secret.png",
        "%e0%80%ae%e0%80%ae/secret.png",
        "..;/secret.png",
        "..%00/secret.png",
        "quarters.png%00.jpg",
        "%00",
        "..%2f..%2f..%2fetc/passwd",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        "//etc/passwd",
        "link-out.png",
        "link-absolute.png",
        "folder-out/secret.png",
        "folder-out/root-leak/secret.png",
        "link-loop.png",
        "pipe.png",
        "deep",
        "deep/",
        "deep/down",
        ".",
        "..",
        "./",
        "../",
        "-leak/secret.png",
        "nothing-here.png",
        "quarters.png/",
        "quarters.png/x",
        "a" * 3000 + ".png",
        "x/" * 1000 + "a.png",
    ],
)
@pytest.mark.parametrize("prefix", ["/optimux/assets/", "/optimux/static/", "/optimux/info/"])
def test_no_way_out_of_the_root(server, prefix, path):
    response = server.get(prefix + path)
    assert response.status in (400, 403, 404), (response.status, response.body[:300])
    assert SECRET not in response.body and b"root:" not in response.body
    response.problem()


@pytest.mark.parametrize(
    "url",
    [
        "file:///../secret.png",
        "file:///%2e%2e/secret.png",
        "file:///..%2fsecret.png",
        "file:////etc/passwd",
        "file:///etc/passwd",
        "file://host/quarters.png",
        "file:quarters.png",
        "file:",
        "file://",
        "file:///",
        "file:///quarters.png%00",
        "file:///link-out.png",
        "file:///deep/../../secret.png",
        "FILE:///../secret.png",
    ],
)
def test_no_way_out_by_file_urls(server, url):
    response = server.get(client.resize(url, sizes="20x0"))
    assert response.status in (400, 403, 404), (response.status, response.body[:300])
    assert SECRET not in response.body and b"root:" not in response.body
    response.problem()


def test_missing_key_and_forbidden_way_look_alike(server):
    bodies = set()
    for path in ("nothing-here.png", "link-out.png", "folder-out/secret.png", "folder-out/nothing.png"):
        problem = server.get("/optimux/assets/" + path).problem()
        bodies.add((problem["status"], problem["title"], problem["type"], problem["detail"]))
    assert len(bodies) == 1, bodies


def test_static_looks_below_its_prefix(server):
    assert server.get("/optimux/static/logo.png?sizes=20x0").status == 200
    assert server.get("/optimux/static/quarters.png?sizes=20x0").status == 404
    assert server.get("/optimux/assets/static/logo.png?sizes=20x0").status == 200


def test_error_says_nothing_of_the_machines_paths(server, root):
    for path in ("nothing-here.png", "deep", "link-out.png"):
        body = server.get("/optimux/assets/" + path).body.decode()
        assert str(root) not in body and "/tmp" not in body


def test_file_that_is_replaced_is_seen_once_its_rendition_is_not_cached(start_server, root):
    server = start_server(memory_cache="0MiB")
    file = root / "replaced.png"
    file.write_bytes((root / media.QUARTERS_PNG).read_bytes())
    first = server.get(client.asset("replaced.png", sizes="0x50", format="png"))
    server.await_idle()
    file.write_bytes((root / media.DISC).read_bytes())
    second = server.get(client.asset("replaced.png", sizes="0x50", format="png"))
    assert first.status == second.status == 200
    assert first.body != second.body
    assert first.header("ETag") != second.header("ETag")
