"""What an operator sees and can change on the admin listener."""

import json
import pathlib
import re

import pytest

from cli import command
from support import client, exposition, media
from support.waiting import eventually

VERDICTS = {"idle", "right", "raise the cap", "add CPUs", "stuck jobs"}
EXPECTED_METRICS = {
    "optimux_http_requests_total",
    "optimux_http_request_duration_seconds",
    "optimux_http_response_bytes_total",
    "optimux_http_connections",
    "optimux_rendition_stage_seconds",
    "optimux_cache_hits_total",
    "optimux_cache_misses_total",
    "optimux_cache_bytes",
    "optimux_renders_total",
    "optimux_source_fetches_total",
    "optimux_pool_workers",
    "optimux_pool_jobs_in_flight",
    "optimux_pool_queue_depth",
    "optimux_pool_jobs_total",
    "process_resident_memory_bytes",
    "process_cpu_seconds_total",
    "process_open_fds",
    "process_start_time_seconds",
}


def put(server, target: str, document) -> client.Response:
    return server.ask_admin("PUT", target, json.dumps(document).encode())


def test_metrics_are_well_formed_and_follow_the_conventions(server):
    server.get(client.asset(media.QUARTERS_PNG, sizes="70x0"))
    server.await_idle()
    response = server.ask_admin("GET", "/metrics")
    assert response.status == 200
    assert response.header("Content-Type").startswith("text/plain; version=0.0.4")
    metrics = exposition.parse(response.body.decode())
    assert exposition.complaints(metrics) == []
    assert EXPECTED_METRICS <= metrics.families.keys()


def test_every_metric_is_documented_and_every_documented_one_is_there(server):
    repository = pathlib.Path(__file__).parents[3]
    name = re.compile("(?:optimux|process)_[a-z0-9_]+")
    documented = set(re.findall(f"`({name.pattern})", (repository / "docs/metrics.md").read_text()))
    sources = "".join(path.read_text() for path in (repository / "src/server").glob("*.cpp"))
    assert documented == {text for text in re.findall('"([a-z0-9_]+)"', sources) if name.fullmatch(text)}
    assert server.metrics().families.keys() <= documented


def test_metrics_count_the_stages_of_what_is_made_and_not_of_what_is_found(server):
    def count(stage):
        return server.metrics().value("optimux_rendition_stage_seconds_count", stage=stage)

    server.get(client.asset(media.QUARTERS_PNG, sizes="73x0"))
    server.await_idle()
    before = {stage: count(stage) for stage in ("fetch", "decode", "encode")}
    for size in ("73x0", "74x0"):
        server.get(client.asset(media.QUARTERS_PNG, sizes=size))
    for stage, counted in before.items():
        eventually(lambda: count(stage) > counted, f"{stage} is counted")
    assert {stage: count(stage) for stage in before} == {stage: counted + 1 for stage, counted in before.items()}


def test_metrics_count_requests_by_route_and_status(server):
    def count(**labels):
        try:
            return server.metrics().value("optimux_http_requests_total", **labels)
        except AssertionError:
            return 0

    served, missing = count(route="assets", status="200"), count(route="assets", status="404")
    for _ in range(3):
        server.get(client.asset(media.QUARTERS_PNG, sizes="71x0"))
    server.get(client.asset("no.png"))
    eventually(lambda: count(route="assets", status="200") == served + 3, "three were served")
    eventually(lambda: count(route="assets", status="404") == missing + 1, "one was missing")


def test_metrics_count_hits_and_misses(server):
    before = server.metrics()
    server.get(client.asset(media.QUARTERS_PNG, sizes="72x0"))
    server.await_idle()  # A rendition is kept a moment after its last byte.
    for _ in range(3):
        server.get(client.asset(media.QUARTERS_PNG, sizes="72x0"))
    after = server.metrics()
    assert after.value("optimux_cache_misses_total") - before.value("optimux_cache_misses_total") == 1
    assert after.value("optimux_cache_hits_total") - before.value("optimux_cache_hits_total") == 3
    assert after.value("optimux_cache_bytes") > before.value("optimux_cache_bytes")


def test_labels_do_not_grow_with_what_clients_send(server):
    before = len(server.metrics().families["optimux_http_requests_total"].samples)
    for index in range(30):
        server.get(f"/nowhere-{index}")
        server.request(f"METHOD{index}", "/health")
    assert len(server.metrics().families["optimux_http_requests_total"].samples) <= before + 4


def test_pools_recommend_and_the_command_says_it_in_words(server):
    server.get(client.asset(media.QUARTERS_PNG, sizes="70x0"))
    recommendation = server.ask_admin("GET", "/pools").json()["pools"][0]["recommendation"]
    assert recommendation["verdict"] in VERDICTS
    assert recommendation["text"] != ""
    assert (recommendation["workers"] is None) == (recommendation["verdict"] == "idle")
    address = "http://%s:%d" % server.admin
    done = command.run("pool", "advise", "--admin", address)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"image: ")
    pools = json.loads(command.run("pool", "advise", "--admin", str(server.admin[1]), "--json").stdout)["pools"]
    assert pools[0]["name"] == "image" and pools[0]["recommendation"]["verdict"] in VERDICTS
    assert command.run("pool", "advise", "--admin", address + "/health").returncode == 1


def test_pools_show_the_image_pool(server):
    pool = server.image_pool()
    assert 0 <= pool["idle"] <= pool["live"] <= pool["total"] <= pool["workers_max"]
    assert pool["cpus"] >= 1 and pool["cpu_source"]
    assert pool["queue_capacity"] == 1000
    assert pool["policy"] == "little"


def test_every_accepted_job_ends_once(server):
    for width in range(30, 40):
        server.get(client.asset(media.QUARTERS_PNG, sizes=f"{width}x0", format="webp"))
    server.await_idle()
    jobs = server.image_pool()["jobs"]
    assert jobs["accepted"] == jobs["done"] + jobs["failed"] + jobs["cancelled"] + jobs["expired"]


def test_a_broken_picture_is_not_counted_as_cancelled(start_server, root):
    broken = (root / media.PHOTO).read_bytes()[:5000]
    (root / "broken-for-the-counters.jpg").write_bytes(broken)
    server = start_server(negative_cache="0ms")
    for width in range(30, 35):
        assert server.get(client.asset("broken-for-the-counters.jpg", sizes=f"{width}x0")).status == 422
    server.await_idle()
    jobs = server.image_pool()["jobs"]
    assert (jobs["cancelled"], jobs["done"]) == (0, 5), jobs
    assert server.renders() == 5
    assert server.metrics().value("optimux_renders_cancelled_total") == 0


def test_times_that_nobody_measured_are_null(start_server):
    pool = start_server().image_pool()
    assert set(pool["wait_seconds"].values()) | set(pool["service_seconds"].values()) == {None}


@pytest.mark.parametrize("host, status", [("evil.example", 421), ("localhost:80", 200), ("[::1]", 200)])
def test_web_pages_of_other_names_get_nothing(server, host, status):
    assert client.fetch(server.admin, "GET", "/metrics", {"Host": host}, None).status == status


def test_decisions_are_told_with_their_reason(start_server):
    server = start_server(image_workers_min=1, image_workers_max=4)
    assert put(server, "/pools/image/limits", {"workers_min": 3, "workers_max": 4}).status == 200
    eventually(lambda: server.image_pool()["live"] >= 3, "the floor is filled")
    document = server.ask_admin("GET", "/pools/image/decisions").json()
    assert document["decisions"], document
    for decision in document["decisions"]:
        assert decision.keys() >= {"age_seconds", "live", "queue_depth", "in_flight", "target", "reason"}
        assert decision["reason"]


def test_limits_can_be_changed_while_running(start_server):
    server = start_server(image_workers_min=1, image_workers_max=2)
    response = put(server, "/pools/image/limits", {"workers_min": 2, "workers_max": 3})
    assert response.status == 200
    pool = server.image_pool()
    assert (pool["workers_min"], pool["workers_max"]) == (2, 3)
    eventually(lambda: server.image_pool()["live"] >= 2, "the new floor is filled")
    assert put(server, "/pools/image/limits", {"workers_max": 5}).status == 200
    assert server.image_pool()["workers_min"] == 2


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        None,
        5,
        {"workers_min": -1},
        {"workers_min": 5, "workers_max": 2},
        {"workers_max": "two"},
        {"workers_max": 1.5},
        {"workers": 2},
        {"workers_max": 10**12},
        {"workers_max": 100_000},
        {"workers_max": 0, "workers_min": 3},
    ],
)
def test_wrong_limits_are_refused_and_change_nothing(server, document):
    before = server.image_pool()
    response = put(server, "/pools/image/limits", document)
    assert response.status == 400, response.body
    response.problem()
    after = server.image_pool()
    assert (after["workers_min"], after["workers_max"]) == (before["workers_min"], before["workers_max"])


def test_body_that_is_no_json_is_refused(server):
    for body in (b"", b"{", b"\xff", b"workers_max=2"):
        assert server.ask_admin("PUT", "/pools/image/limits", body).status == 400


@pytest.mark.parametrize(
    "method, target, status",
    [
        ("GET", "/pools/nobody/decisions", 404),
        ("PUT", "/pools/nobody/limits", 404),
        ("GET", "/pools/image", 404),
        ("GET", "/nowhere", 404),
        ("POST", "/metrics", 405),
        ("DELETE", "/pools", 405),
        ("GET", "/log-level", 405),
        ("GET", "/resize?image_url=file:///quarters.png", 404),
        ("GET", "/optimux/assets/quarters.png", 404),
    ],
)
def test_admin_knows_its_own_routes_only(server, method, target, status):
    response = server.ask_admin(method, target, b"{}" if method == "PUT" else None)
    assert response.status == status
    response.problem()


def test_log_level_can_be_changed_while_running(start_server):
    server = start_server(log_level="info")

    def request_id() -> str:
        return server.get("/optimux/assets/no.png").header("X-Request-Id")

    def await_logged(identifier: str):
        eventually(lambda: identifier in server.read_log(), "the request is logged")

    await_logged(request_id())
    assert set_log_level(server, b"off").status in (200, 204)
    silent = request_id()
    assert set_log_level(server, b"debug").status in (200, 204)
    await_logged(request_id())
    assert silent not in server.read_log()


@pytest.mark.parametrize("level", [b"", b"loud", b"DEBUG INFO", b"\0", b"{}"])
def test_wrong_log_level_is_refused(server, level):
    response = set_log_level(server, level)
    assert response.status == 400
    response.problem()


def set_log_level(server, level: bytes) -> client.Response:
    return server.ask_admin("PUT", "/log-level", level)


def test_json_log_is_one_object_a_line_and_cannot_be_forged(start_server):
    server = start_server(log_format="json")
    server.get("/optimux/assets/a%0a%7b%22level%22%3a%22forged%22%7d.png")
    server.get("/optimux/assets/no.png", User_Agent='evil" ,"level":"forged')
    assert server.terminate() == 0
    lines = [json.loads(line) for line in server.read_log().splitlines()]
    assert len(lines) >= 2
    assert all("forged" != line.get("level") for line in lines)


def test_request_log_tells_who_left(start_server):
    server = start_server(log_format="json")
    with server.connect() as connection:
        connection.send(client.encode_request("GET", client.asset(media.PHOTO, sizes="0x0", format="jpeg", blur=50)))
        eventually(lambda: server.image_pool()["in_flight"] == 1, "the render runs")
        connection.reset()
    eventually(
        lambda: any(json.loads(line).get("status") == 499 for line in server.read_log().splitlines()), "499 is logged"
    )
