"""Finished renditions in an object store that checks signatures: made once for all servers that share it."""

import os

import pytest

from support import client, media
from support.object_store import ObjectStore
from support.origin import Origin
from support.renditions import lasting, place, targets
from support.server import Optimux
from support.waiting import eventually

RENDITIONS = int(os.environ.get("OPTIMUX_TEST_RENDITIONS", "1000"))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with ObjectStore(tmp_path_factory.mktemp("objects"), "renditions") as store:
        yield store


@pytest.fixture(autouse=True)
def empty_bucket(store):
    while keys := store.keys("renditions"):
        for key in keys:
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


def test_second_server_with_nothing_of_its_own_answers_without_a_fetch_or_a_render(start_server, store, root, origin):
    asked = targets(RENDITIONS, origin, root) + [client.asset(media.QUARTERS_PNG, sizes="30x0", encoder="progress")]
    options = options_for(store, allow_source=f"{origin.host}/32")
    first = start_server(**options)
    made = [first.get(target) for target in asked]
    assert {response.status for response in made} == {200}
    eventually(lambda: stored(first) == len(asked), "all are stored")
    fetched = origin.hits()
    second = start_server(**options)
    found = [second.get(target) for target in asked]
    assert [lasting(response) for response in found] == [lasting(response) for response in made]
    assert {place(response) for response in found} == {"store"}
    metrics = second.metrics()
    assert metrics.value("optimux_source_fetches_total") == 0
    assert metrics.value("optimux_renders_total") == 0
    assert origin.hits() == fetched
    # A GET for each, and nothing else.
    assert metrics.value("optimux_object_store_requests_total", action="head") == 0
    assert metrics.value("optimux_object_store_requests_total", action="get") == len(asked)


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
