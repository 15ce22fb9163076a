"""Finished renditions in an object store that checks signatures: made once for all servers that share it."""

import pytest

from support import client, media
from support.object_store import ObjectStore
from support.origin import Origin
from support.server import Optimux
from support.waiting import eventually


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with ObjectStore(tmp_path_factory.mktemp("objects"), "renditions") as store:
        yield store


@pytest.fixture(autouse=True)
def empty_bucket(store):
    for key in store.keys("renditions"):
        store.request("DELETE", "renditions", key)


def options_for(store, /, **options) -> dict:
    return {
        "rendition_store": "s3://renditions",
        "s3_endpoint": store.endpoint,
        "environment": store.environment(),
        **options,
    }


def stored(server) -> float:
    return server.metrics().value("optimux_tier_stored_total", tier="store")


def comparable(response: client.Response) -> tuple:
    passing = {"age", "date", "server-timing", "x-request-id", "content-length", "transfer-encoding"}
    return response.status, response.body, [(k, v) for k, v in response.headers if k.lower() not in passing]


def test_second_server_with_nothing_of_its_own_answers_without_a_fetch_or_a_render(start_server, store, root):
    targets = [
        client.asset(media.QUARTERS_PNG, sizes="40x0", format=kind, quality=quality)
        for kind in ("jpeg", "png", "webp")
        for quality in (60, 80)
    ] + [client.asset(media.QUARTERS_PNG, sizes="30x0", encoder="progress"), f"/optimux/info/{media.QUARTERS_PNG}"]
    first = start_server(**options_for(store))
    made = [first.get(target) for target in targets]
    # PNG has no quality: two of the targets are one rendition.
    eventually(lambda: stored(first) == len(set(response.header("ETag") for response in made)), "all are stored")
    second = start_server(**options_for(store))
    found = [second.get(target) for target in targets]
    assert [comparable(response) for response in found] == [comparable(response) for response in made]
    metrics = second.metrics()
    assert metrics.value("optimux_source_fetches_total") == 0
    assert metrics.value("optimux_renders_total") == 0
    # A GET for each that was not in memory by then, and nothing else.
    assert metrics.value("optimux_object_store_requests_total", action="head") == 0
    assert metrics.value("optimux_object_store_requests_total", action="get") <= len(targets)


def test_object_is_a_picture_that_anybody_can_use_and_that_is_marked(start_server, store):
    server = start_server(**options_for(store))
    response = server.get(client.asset(media.QUARTERS_PNG, sizes="40x0", format="webp"))
    [key] = eventually(lambda: store.keys("renditions"), "it is stored")
    assert key.startswith("optimized/")
    thing = store.get("renditions", key)
    assert thing.body == response.body
    assert thing.headers["content-type"] == "image/webp"
    assert thing.headers["x-amz-meta-optimux-processed"] == "1"


def test_rendition_is_never_rendered_as_a_source(start_server, store):
    server = start_server(**options_for(store, s3_buckets=["s3://renditions"]))
    assert server.get(client.asset(media.QUARTERS_PNG, sizes="40x0", format="png")).status == 200
    [key] = eventually(lambda: store.keys("renditions"), "it is stored")
    assert server.get(client.resize(f"s3://renditions/{key}", sizes="20x0")).status == 404


def test_source_and_renditions_in_one_bucket(start_server, store, root):
    store.put("renditions", "photos/" + media.QUARTERS_PNG, (root / media.QUARTERS_PNG).read_bytes())
    options = options_for(store, root=None, store="s3://renditions/photos")
    target = client.asset(media.QUARTERS_PNG, sizes="40x0", format="webp")
    first = start_server(**options)
    assert first.get(target).status == 200
    eventually(lambda: stored(first) == 1, "it is stored")
    second = start_server(**options)
    assert second.get(target).status == 200
    assert second.metrics().value("optimux_source_fetches_total") == 0


def test_prefix_of_ones_own(start_server, store):
    server = start_server(**options_for(store, rendition_store="s3://renditions/a/b"))
    assert server.get(client.asset(media.QUARTERS_PNG, sizes="40x0")).status == 200
    [key] = eventually(lambda: store.keys("renditions"), "it is stored")
    assert key.startswith("a/b/")


def test_purge_by_source_deletes_what_was_made_of_it(start_server, store):
    server = start_server(**options_for(store))
    for width in (20, 30, 40):
        server.get(client.asset(media.QUARTERS_PNG, sizes=f"{width}x0", format="png"))
    server.get(client.asset(media.DISC, sizes="20x0", format="png"))
    eventually(lambda: len(store.keys("renditions")) == 4, "all are stored")
    answer = server.ask_admin("DELETE", "/cache?" + client.query({"source": f"file:///{media.QUARTERS_PNG}"}))
    assert answer.status == 204, answer.body
    assert len(store.keys("renditions")) == 1


def test_store_that_is_down_costs_no_answer(root, tmp_path):
    with Origin("127.0.0.3") as stub:
        endpoint = stub.url("")
    options = {
        "rendition_store": "s3://renditions",
        "s3_endpoint": endpoint,
        "s3_attempts": 1,
        "environment": {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true"},
    }
    with Optimux(root, tmp_path / "log", **options) as server:
        assert server.get(client.asset(media.QUARTERS_PNG, sizes="40x0")).status == 200
        eventually(lambda: server.metrics().value("optimux_tier_faults_total", tier="store") >= 1, "it is counted")
        server.assert_unharmed()


def test_keys_without_rights_cost_no_answer(root, store, tmp_path):
    options = options_for(store, environment=store.environment(AWS_SECRET_ACCESS_KEY="wrong"))
    with Optimux(root, tmp_path / "log", **options) as server:
        assert server.get(client.asset(media.QUARTERS_PNG, sizes="40x0")).status == 200
        assert store.keys("renditions") == []
