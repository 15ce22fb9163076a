"""The routes around the renditions: methods, CORS, health, info, documentation."""

import json
import re

import pytest

from support import client, media
from support.waiting import eventually

ASSET = "/optimux/assets/quarters.png?sizes=48x0"


@pytest.mark.parametrize(
    "target", [ASSET, "/optimux/info/quarters.png", "/health", "/openapi.json", "/optimux/assets/no.png", "/nowhere"]
)
def test_head_is_get_without_the_body(server, target):
    server.get(target)
    with server.connect() as connection:
        got, headed, again = (connection.request(method, target) for method in ("GET", "HEAD", "GET"))
    assert headed.status == got.status
    assert headed.body == b""
    assert headed.header("Content-Type") == got.header("Content-Type")
    assert headed.header("ETag") == got.header("ETag")
    if headed.header("Content-Length") is not None and got.status == 200:
        assert int(headed.header("Content-Length")) == len(got.body)
    assert again.body == got.body or got.status != 200


def test_head_of_a_cold_rendition_has_the_headers_of_its_get(server):
    target = "/optimux/assets/photo.jpg?sizes=47x0&format=webp"
    with server.connect() as connection:
        headed, got = connection.request("HEAD", target), connection.request("GET", target)
    assert headed.status == got.status == 200
    for name in ("Content-Type", "ETag", "Last-Modified", "Cache-Control"):
        assert headed.header(name) == got.header(name)
    assert "cache;desc=miss" in headed.header("Server-Timing")
    assert "cache;desc=miss" not in got.header("Server-Timing")


@pytest.mark.parametrize("value", ["a" * 10_000, "a b", "<script>", "é", '"quoted"', "a,b", ""])
def test_request_id_of_a_client_is_taken_only_if_it_is_harmless(server, value):
    response = server.get("/health", X_Request_Id=value)
    assert re.fullmatch(r"[\w.-]{1,128}", response.header("X-Request-Id"))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"])
def test_other_methods_are_405_with_allow(server, method):
    response = server.request(method, ASSET)
    assert response.status == 405
    response.problem()
    assert {"GET", "HEAD", "OPTIONS"} <= set(re.split(r",\s*", response.header("Allow")))


def test_get_of_preload_is_405(server):
    response = server.get("/optimux/preload")
    assert response.status == 405
    assert "POST" in response.header("Allow")


@pytest.mark.parametrize(
    "target",
    [
        "/nowhere",
        "/resize/",
        "/Resize?image_url=a",
        "/optimux/assets",
        "/optimux/assets/",
        "/optimux",
        "//",
        "/optimux/pools",
        "/metrics",
        "/pools",
        "/log-level",
        "/pools/image/decisions",
    ],
)
def test_no_such_route_is_404(server, target):
    response = server.get(target)
    assert response.status == 404
    response.problem()


@pytest.mark.parametrize("target", ["/pools/image/limits", "/log-level"])
def test_operations_are_never_on_the_public_port(server, target):
    assert server.request("PUT", target, body=b"debug").status == 404


def test_options_names_the_methods(server):
    response = server.request("OPTIONS", ASSET)
    assert response.status in (200, 204)
    assert "GET" in response.header("Allow")


def test_no_cors_unless_configured(server):
    response = server.get(ASSET, Origin="https://example.org")
    assert response.header("Access-Control-Allow-Origin") is None


def test_cors_for_configured_origins(start_server):
    server = start_server(cors_origins=["https://example.org", "https://other.example:8443"])
    for origin in ("https://example.org", "https://other.example:8443"):
        response = server.get(ASSET, Origin=origin)
        assert response.header("Access-Control-Allow-Origin") == origin
        assert "origin" in response.header("Vary").lower()
    for origin in ("https://evil.example", "http://example.org", "https://example.org.evil.example", "null"):
        assert server.get(ASSET, Origin=origin).header("Access-Control-Allow-Origin") is None
    assert (
        server.get("/optimux/assets/no.png", Origin="https://example.org").header("Access-Control-Allow-Origin")
        == "https://example.org"
    )


def test_cors_preflight(start_server):
    server = start_server(cors_origins=["*"])
    response = server.request(
        "OPTIONS",
        "/optimux/preload",
        {
            "Origin": "https://a.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
    )
    assert response.status in (200, 204)
    assert response.header("Access-Control-Allow-Origin") == "*"
    assert "POST" in response.header("Access-Control-Allow-Methods")
    assert "content-type" in response.header("Access-Control-Allow-Headers").lower()


def test_errors_are_cached_as_the_table_says(server, root):
    (root / "broken.jpg").write_bytes((root / media.QUARTERS_JPEG).read_bytes()[:2000])
    assert server.get("/optimux/assets/no.png").header("Cache-Control").endswith("max-age=60")
    assert server.get("/optimux/assets/broken.jpg").header("Cache-Control").endswith("max-age=60")
    assert server.get("/optimux/assets/quarters.png?quality=0").header("Cache-Control") == "no-store"


def test_request_id_is_unique_and_stands_in_the_log(server):
    ids = {server.get("/health").header("X-Request-Id") for _ in range(20)}
    assert len(ids) == 20
    response = server.get("/optimux/assets/no.png")
    eventually(lambda: response.header("X-Request-Id") in server.read_log(), "the request is logged")


@pytest.mark.parametrize("target, body", [("/optimux/ping", b"pong"), ("/health", None), ("/ready", None)])
def test_health(server, target, body):
    response = server.get(target)
    assert response.status == 200
    assert body is None or response.body.strip() == body


@pytest.mark.parametrize(
    "key, expected",
    [
        (media.PHOTO, {"format": "jpeg", "width": 4000, "height": 3000, "pages": 1, "has_alpha": False}),
        (media.DISC, {"format": "png", "width": 800, "height": 800, "pages": 1, "has_alpha": True}),
        (media.CLOCK, {"format": "gif", "width": 320, "height": 240, "pages": 20, "duration": 2.0}),
        (media.QUARTERS_PNG, {"format": "png", "width": 400, "height": 300, "has_alpha": False, "orientation": 1}),
    ],
)
def test_info(server, root, key, expected):
    response = server.get("/optimux/info/" + key)
    assert response.status == 200
    assert response.header("Content-Type").split(";")[0] == "application/json"
    info = response.json()
    assert {name: info[name] for name in expected} == pytest.approx(expected)
    assert info["bytes"] == (root / key).stat().st_size
    assert len(info["blur_hash"]) == 4 + 2 * 4 * 3


def test_info_of_a_url_and_of_what_is_no_picture(server, origin, root):
    url = origin.serve_bytes("/info.png", (root / media.QUARTERS_PNG).read_bytes())
    assert server.get("/info?" + client.query({"image_url": url})).json()["width"] == 400
    text = origin.serve_bytes("/info.txt", b"hello")
    assert server.get("/info?" + client.query({"image_url": text})).status == 415
    assert server.get("/info").status == 400
    assert server.get("/optimux/info/quarters.png?sizes=1x1").status == 400


def test_docs_and_openapi_describe_every_parameter(server):
    page = server.get("/optimux/docs")
    assert page.status == 200
    assert page.header("Content-Type").startswith("text/html")
    document = server.get("/openapi.json").json()
    assert document["openapi"].startswith("3.")
    assert {"/resize", "/optimux/preload", "/health"} <= document["paths"].keys()
    text = json.dumps(document)
    for name in ("sizes", "fit", "gravity", "quality", "format", "crop", "download", "image_url"):
        assert f'"{name}"' in text, name
