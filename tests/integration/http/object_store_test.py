"""Sources in an object store that checks signatures: every key byte for byte, and no bucket but those allowed."""

import re
import urllib.parse

import pytest

from support import client, media
from support.object_store import ObjectStore
from support.server import Optimux

SECRET = b"secret-that-must-not-leave"

ODD_KEYS = [
    b"with space.png",
    b"3js%205-x.jpg",
    b"John_Doe #1 (P 1)[5].jpg",
    "日本/書é.png".encode(),
    b"100%.png",
    b"a+b.png",
    b"q?x=1.png",
    b"a&b=c;d@e$f,g.png",
    b"date=2026-11-30/quote\"'!*.png",
    b"back\\slash.png",
    b"~home.png",
    b"%2e%2e.png",
    b"..dots..png",
    b"a/b/c/d/e.png",
    b"doubled//slash.png",
    b"/".join([b"x" * 63] * 15),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory, root):
    """Two buckets: one whose folder `photos` is the server's store, and one that only URLs may name."""
    with ObjectStore(tmp_path_factory.mktemp("objects"), "main", "shared", "closed") as store:
        picture = (root / media.QUARTERS_PNG).read_bytes()
        for key in [media.QUARTERS_PNG.encode(), b"static/logo.png", *ODD_KEYS]:
            store.put("main", b"photos/" + key, picture, content_type="image/png")
        for place in ("secret.png", "photos-private/secret.png"):
            store.put("main", place, picture + SECRET)
        for key in [b"open/a.png", *(b"open/" + key for key in ODD_KEYS)]:
            store.put("shared", key, picture)
        store.put("shared", "private/a.png", picture + SECRET)
        store.put("closed", "a.png", picture + SECRET)
        store.put("shared", "open/made.png", picture, **{"x-amz-meta-optimux-processed": "1"})
        yield store


def options_for(store: ObjectStore, /, **options) -> dict:
    """A server whose store is a folder of a bucket."""
    return {
        "root": None,
        "store": "s3://main/photos",
        "s3_buckets": ["s3://shared/open"],
        "s3_endpoint": store.endpoint,
        "environment": store.environment(),
        **options,
    }


@pytest.fixture(scope="module")
def server_of_module(store, tmp_path_factory):
    options = options_for(store)
    with Optimux(log=tmp_path_factory.mktemp("server") / "log", **options) as server:
        yield server


def info(url: str) -> str:
    return "/info?" + client.query({"image_url": url})


@pytest.mark.parametrize("key", ODD_KEYS, ids=repr)
def test_key_of_the_store_is_used_byte_for_byte_after_one_decoding(server, key):
    response = server.get(client.asset(key, sizes="20x0", format="png"))
    assert response.status == 200, response.body[:300]


@pytest.mark.parametrize("key", ODD_KEYS, ids=repr)
def test_object_url_is_taken_as_it_stands(server, key):
    url = "s3://shared/open/".encode() + key
    response = server.get("/resize?sizes=20x0&format=png&image_url=" + urllib.parse.quote(url, safe=""))
    assert response.status == 200, response.body[:300]


def test_static_looks_below_its_prefix(server):
    assert server.get("/optimux/static/logo.png?sizes=20x0").status == 200
    assert server.get("/optimux/static/quarters.png?sizes=20x0").status == 404
    assert server.get("/optimux/info/static/logo.png").json()["format"] == "png"


@pytest.mark.parametrize(
    "key",
    [
        "../secret.png",
        "%2e%2e/secret.png",
        "..%2fsecret.png",
        "deep/../../secret.png",
        "./../secret.png",
        "../photos-private/secret.png",
        "-private/secret.png",
        "%00",
        "quarters.png%00.jpg",
        "nothing-here.png",
        "x" * 1100,
        "quarters.png/",
    ],
)
@pytest.mark.parametrize("prefix", ["/optimux/assets/", "/optimux/static/", "/optimux/info/"])
def test_no_way_out_of_the_prefix(server, prefix, key):
    response = server.get(prefix + key)
    assert response.status in (400, 403, 404), (response.status, response.body[:300])
    assert SECRET not in response.body
    response.problem()


@pytest.mark.parametrize(
    "url",
    [
        "s3://closed/a.png",
        "s3://nothing-there/a.png",
        "s3://shared/private/a.png",
        "s3://shared/open/../private/a.png",
        "s3://shared/open/x/../../private/a.png",
        "s3://main/secret.png",
        "s3://main/photos/quarters.png",
        "S3://closed/a.png",
    ],
)
def test_buckets_that_are_not_allowed_are_refused_in_one_voice(server, url):
    problem, other = (server.get(info(each)).problem() for each in (url, "http://10.0.0.1/a.png"))
    assert problem["status"] == 403
    assert (problem["type"], problem["title"], problem["detail"]) == (other["type"], other["title"], other["detail"])


@pytest.mark.parametrize("url", ["s3://", "s3://shared", "s3://shared/", "s3:shared/open/a.png", "s3://a b/c"])
def test_url_without_bucket_or_key_is_told_apart(server, url):
    problem = server.get(info(url)).problem()
    assert problem["status"] == 400 and "s3://BUCKET/KEY" in problem["detail"], problem


def test_rendition_is_no_source(server):
    assert server.get(info("s3://shared/open/made.png")).status == 404


def test_answer_carries_what_the_store_says_of_the_object(server, store, root):
    picture = (root / media.QUARTERS_PNG).read_bytes()
    store.put("main", "photos/dated.png", picture, cache_control="max-age=77")
    response = server.get(client.asset("dated.png", sizes="20x0"))
    assert response.status == 200
    assert response.header("Last-Modified") == store.get("main", "photos/dated.png").headers["last-modified"]


def test_both_ways_of_addressing_are_signed_right(start_server, store):
    endpoint = f"http://localhost:{store.port}"
    server = start_server(**options_for(store, s3_endpoint=endpoint, s3_addressing="path"))
    assert server.get(client.asset("with space.png", sizes="20x0")).status == 200


@pytest.mark.parametrize("variable", ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"])
def test_wrong_keys_are_refused_and_never_told(store, tmp_path, variable):
    environment = store.environment(**{variable: "wrong-and-secret"})
    log = tmp_path / "log"
    with Optimux(log=log, **options_for(store, environment=environment, log_level="debug")) as server:
        response = server.get(client.asset("quarters.png", sizes="20x0"))
        assert response.status == 403
        assert b"wrong-and-secret" not in response.body
    told = log.read_text()
    assert "wrong-and-secret" not in told
    assert ("SignatureDoesNotMatch" if "SECRET" in variable else "InvalidAccessKeyId") in told, told


def test_store_itself_checks_signatures(store):
    """What the other tests stand on."""
    path = "/main/photos/quarters.png"
    connection = client.Connection(("127.0.0.1", store.port))
    with connection:
        fields = {"Authorization": "AWS4-HMAC-SHA256 Credential=S3RVER/20261130/us-east-1/s3/aws4_request, "
                  "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=" + "0" * 64,
                  "x-amz-date": "20261130T000000Z", "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "Connection": "close"}
        response = connection.request("GET", path, fields)
    assert response.status == 403 and re.search(rb"SignatureDoesNotMatch|RequestTimeTooSkewed", response.body)


def test_store_and_root_together_are_refused(root, store, tmp_path):
    with pytest.raises(AssertionError, match="store: .*a second default store beside root"):
        Optimux(log=tmp_path / "log", **options_for(store, root=root))


@pytest.mark.parametrize(
    "option, value",
    [
        ("store", "main/photos"),
        ("store", "s3://"),
        ("store", "s3://main/../other"),
        ("s3_buckets", ["shared"]),
        ("s3_endpoint", "ftp://host"),
        ("s3_endpoint", "http://host/base"),
        ("s3_region", "no region"),
        ("s3_addressing", "virtual"),
        ("s3_credentials", "imds"),
        ("s3_attempts", "0"),
    ],
)
def test_options_are_checked_at_the_start(store, tmp_path, option, value):
    with pytest.raises(AssertionError, match=f"{option}|{option.replace('_', '-')}"):
        Optimux(log=tmp_path / "log", **options_for(store, **{option: value}))


def test_object_of_the_default_store_is_fetched_once_for_all_its_sizes_and_found_missing_once(server, store, root):
    name = "optimux_object_store_requests_total"
    store.put("main", "photos/once.png", (root / media.QUARTERS_PNG).read_bytes())
    for key, status in {"once.png": 200, "missing-once.png": 404}.items():
        before = server.metrics().value(name, action="get")
        for width in (31, 32, 33):
            assert server.get(client.asset(key, sizes=f"{width}x0")).status == status
        assert server.metrics().value(name, action="get") == before + 1


def test_metrics_tell_of_the_store(server, store, root):
    name = "optimux_object_store_requests_total"
    store.put("main", "photos/metrics.png", (root / media.QUARTERS_PNG).read_bytes())
    before = server.metrics()
    server.get(client.asset("metrics.png", sizes="31x0"))
    after = server.metrics()
    assert after.value(name, action="get") == before.value(name, action="get") + 1
    assert after.value("optimux_object_store_retries_total") == 0
