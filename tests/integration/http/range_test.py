"""Range: parts of finished renditions, byte for byte, over both protocols."""

import random

import pytest

ASSET = "/optimux/assets/photo.jpg?sizes=400x0"


@pytest.fixture(scope="module")
def whole(server_of_module):
    response = server_of_module.get(ASSET)
    assert response.status == 200
    return server_of_module.get(ASSET)  # From the cache: its size is known.


def test_parts_are_the_bytes_of_the_whole(server, whole):
    random_places = random.Random(7)
    size = len(whole.body)
    assert whole.header("Accept-Ranges") == "bytes"
    for _ in range(50):
        first = random_places.randrange(size)
        last = random_places.randrange(first, size)
        part = server.get(ASSET, Range=f"bytes={first}-{last}")
        assert part.status == 206
        assert part.body == whole.body[first : last + 1]
        assert part.header("Content-Range") == f"bytes {first}-{last}/{size}"
        assert part.header("ETag") == whole.header("ETag")


def test_a_download_that_broke_off_goes_on(server, whole):
    have = whole.body[: len(whole.body) // 3]
    rest = server.request("GET", ASSET, {"Range": f"bytes={len(have)}-", "If-Range": whole.header("ETag")})
    assert rest.status == 206
    assert have + rest.body == whole.body
    replaced = server.request("GET", ASSET, {"Range": f"bytes={len(have)}-", "If-Range": '"of another picture"'})
    assert (replaced.status, replaced.body) == (200, whole.body)


def test_no_byte_of_the_range_exists(server, whole):
    response = server.get(ASSET, Range=f"bytes={len(whole.body)}-")
    assert response.status == 416
    assert response.header("Content-Range") == f"bytes */{len(whole.body)}"
    response.problem()


def test_thousands_of_ranges_cost_one_answer(server, whole):
    response = server.get(ASSET, Range="bytes=" + ",".join(f"{i}-{i}" for i in range(2000)))
    assert (response.status, response.body) == (200, whole.body)


def test_cold_rendition_with_a_range_is_answered(server):
    response = server.get("/optimux/assets/photo.jpg?sizes=123x0", Range="bytes=0-0")
    assert response.status in (200, 206)


@pytest.mark.parametrize("name", ["photo.jpg", "quarters.png"])
def test_originals_are_the_files_themselves(server, root, name):
    content = (root / name).read_bytes()
    original = server.get(f"/optimux/assets/{name}?format=original")
    assert (original.status, original.body) == (200, content)
    part = server.get(f"/optimux/assets/{name}?format=original", Range="bytes=-100")
    assert (part.status, part.body) == (206, content[-100:])


def test_what_is_no_picture_is_no_original_either(server, root):
    (root / "page.jpg").write_text("<!doctype html><script>alert(1)</script>")
    assert server.get("/optimux/assets/page.jpg?format=original").status == 415
