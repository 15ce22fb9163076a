"""An object store that fails, stalls or tells another time, and the services that hand out its keys."""

import json

import pytest

from support import client, media
from support.origin import Origin
from support.renditions import place
from support.waiting import Gate, eventually

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(scope="module")
def picture(root) -> bytes:
    return (root / media.QUARTERS_PNG).read_bytes()


@pytest.fixture
def stub(picture):
    """A store that takes any signature."""
    with Origin("127.0.0.3") as stub:
        stub.serve_bytes("/bucket/quarters.png", picture)
        yield stub


def start(start_server, stub, environment=None, **options):
    settings = {
        "root": None,
        "store": "s3://bucket",
        "s3_endpoint": stub.url(""),
        "s3_retry_delay": "1ms",
        "s3_breaker_failures": 0,
        "environment": KEYS if environment is None else environment,
    }
    return start_server(**settings | options)


def refuse(status: str, code: str, **headers: str):
    body = f"<Error><Code>{code}</Code><Message>because</Message></Error>".encode()
    return lambda exchange: exchange.answer(body, status, "application/xml", **headers)


def first(count: int, script, then):
    """`script` for the first so many exchanges, and `then` for the others."""
    seen = []

    def run(exchange):
        seen.append(exchange)
        (script if len(seen) <= count else then)(exchange)

    return run


def get(server, key: str):
    return server.get(client.asset(key, sizes="20x0"))


@pytest.mark.parametrize(
    "status, code, answered",
    [
        ("404 Not Found", "NoSuchKey", 404),
        ("404 Not Found", "NoSuchBucket", 404),
        ("403 Forbidden", "AccessDenied", 403),
        ("403 Forbidden", "SignatureDoesNotMatch", 403),
        ("500 Internal Server Error", "InternalError", 502),
        ("503 Slow Down", "SlowDown", 502),
        ("301 Moved Permanently", "PermanentRedirect", 502),
        ("400 Bad Request", "AuthorizationHeaderMalformed", 502),
        ("206 Partial Content", "", 502),
        ("403 Forbidden", "RequestTimeTooSkewed", 502),
    ],
)
def test_refusals_of_the_store_by_the_table(stub, start_server, status, code, answered):
    server = start(start_server, stub)
    stub.serve("/bucket/a.png", refuse(status, code))
    response = get(server, "a.png")
    assert response.status == answered, response.body
    assert b"because" not in response.body
    response.problem()


def test_failures_are_tried_again_and_not_cached(stub, start_server, picture):
    server = start(start_server, stub)
    good = lambda exchange: exchange.answer(picture)
    cut = lambda exchange: (exchange.send_head("200 OK", {"Content-Length": "9999"}), exchange.send(b"half"), exchange.close())
    for name, script in {
        "slow-down": refuse("503 Slow Down", "SlowDown"),
        "error": refuse("500 Internal Server Error", "InternalError"),
        "cut": cut,
        "gone": lambda exchange: exchange.close(),
    }.items():
        stub.serve(f"/bucket/{name}.png", first(2, script, good))
        assert get(server, f"{name}.png").status == 200, name
        assert stub.hits(f"/bucket/{name}.png") == 3
    stub.serve("/bucket/always.png", cut)
    assert get(server, "always.png").status == 502
    stub.serve("/bucket/always.png", good)
    assert get(server, "always.png").status == 200


def test_stall_is_left_for_a_new_connection_within_the_time(stub, start_server, picture):
    server = start(start_server, stub, fetch_timeout="3s")
    stub.serve(
        "/bucket/a.png",
        first(1, lambda exchange: exchange.wait_for_client_to_leave(), lambda exchange: exchange.answer(picture)),
    )
    assert get(server, "a.png").status == 200
    stub.serve("/bucket/b.png", lambda exchange: exchange.wait_for_client_to_leave())
    assert get(server, "b.png").status == 504


def test_redirects_lead_nowhere(stub, start_server, canary):
    server = start(start_server, stub)
    stub.redirect("/bucket/a.png", f"http://127.0.0.1:{canary.port}/", "307 Temporary Redirect")
    assert get(server, "a.png").status == 502
    assert canary.hits == 0


def test_proxies_of_the_environment_are_not_taken(stub, start_server, canary):
    proxy = f"http://127.0.0.1:{canary.port}"
    server = start(start_server, stub, KEYS | {"http_proxy": proxy, "all_proxy": proxy})
    assert get(server, "quarters.png").status == 200
    assert canary.hits == 0


def test_clock_is_corrected_once_by_the_stores(stub, start_server, picture):
    server = start(start_server, stub)
    dates = []

    def script(exchange):
        dates.append(exchange.headers["x-amz-date"])
        if dates[-1].startswith("2013"):
            exchange.answer(picture)
        else:
            refuse("403 Forbidden", "RequestTimeTooSkewed", Date="Fri, 24 May 2013 12:00:00 GMT")(exchange)

    stub.serve("/bucket/a.png", script)
    assert get(server, "a.png").status == 200
    assert len(dates) == 2


def test_store_that_is_down_is_given_up_and_found_again(stub, start_server, picture):
    server = start(start_server, stub, s3_breaker_failures=3, s3_breaker_time="200ms", s3_attempts=3)
    stub.serve("/bucket/a.png", refuse("500 Internal Server Error", "InternalError"))
    assert get(server, "a.png").status == 502
    assert server.metrics().value("optimux_object_store_breakers_open") == 1
    hits = stub.hits()
    assert get(server, "b.png").status == 502
    assert stub.hits() == hits, "nothing is sent to a host that was given up"
    stub.serve_bytes("/bucket/a.png", picture)
    while get(server, "a.png").status != 200:
        pass
    assert server.metrics().value("optimux_object_store_breakers_open") == 0
    assert server.metrics().value("optimux_object_store_breaker_opens_total") >= 1


def test_rendition_outlasts_a_store_that_is_down_and_is_confirmed_by_one_that_is_up(stub, start_server, picture):
    server = start(start_server, stub, cache_time="0ms", source_cache="0B")
    asked = []

    def answer(exchange):
        asked.append(exchange.headers.get("if-none-match"))
        if asked[-1] == '"1"':
            exchange.send_head("304 Not Modified", {"ETag": '"1"'})
        else:
            exchange.answer(picture, ETag='"1"')

    stub.serve("/bucket/a.png", answer)
    first = get(server, "a.png")
    server.await_idle()
    confirmed = get(server, "a.png")
    assert place(confirmed) == "revalidated" and confirmed.body == first.body
    assert asked == [None, '"1"']
    stub.serve("/bucket/a.png", refuse("503 Slow Down", "SlowDown"))
    stale = get(server, "a.png")
    assert place(stale) == "stale" and stale.body == first.body
    stub.serve("/bucket/a.png", refuse("404 Not Found", "NoSuchKey"))
    eventually(lambda: get(server, "a.png").status == 404, "it is asked again, once it has rested")
    assert server.renders() == 1


def test_many_requests_for_one_object_are_one_fetch(stub, start_server, picture):
    server = start(start_server, stub)
    gate = Gate()

    def script(exchange):
        gate.wait()
        exchange.answer(picture)

    stub.serve("/bucket/a.png", script)
    with server.connect() as one, server.connect() as two:
        one.send(client.encode_request("GET", client.asset("a.png", sizes="20x0")))
        gate.await_waiting(1)
        two.send(client.encode_request("GET", client.asset("a.png", sizes="30x0")))
        while server.requests_in_flight() < 2:
            pass
        gate.open()
        assert one.receive().status == two.receive().status == 200
    assert stub.hits("/bucket/a.png") == 1


def test_keys_come_from_a_containers_agent(stub, start_server, tmp_path):
    token = tmp_path / "token"
    token.write_text("agent-token\n")
    agents = []

    def hand_out(exchange):
        agents.append(exchange.headers.get("authorization"))
        document = {"AccessKeyId": "from-agent", "SecretAccessKey": "s", "Token": "session", "Expiration": "2999-01-01T00:00:00Z"}
        exchange.answer(json.dumps(document).encode())

    signed = []
    with Origin("127.0.0.4") as agent:
        environment = {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.serve("/v1/keys", hand_out),
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(token),
        }
        server = start(start_server, stub, environment)
        stub.serve("/bucket/a.png", lambda exchange: (signed.append(exchange.headers), exchange.answer(b"x")))
        get(server, "a.png")
        assert get(server, "quarters.png").status == 200
    assert agents == ["agent-token"]
    assert "Credential=from-agent/" in signed[0]["authorization"]
    assert signed[0]["x-amz-security-token"] == "session"


def test_keys_come_from_an_instances_role(stub, start_server):
    asked = []

    def service(answer: bytes):
        def script(exchange):
            asked.append((exchange.path, exchange.headers.get("x-aws-ec2-metadata-token")))
            exchange.answer(answer)

        return script

    path = "/latest/meta-data/iam/security-credentials/"
    document = {"AccessKeyId": "from-role", "SecretAccessKey": "s", "Token": "t", "Expiration": "2999-01-01T00:00:00Z"}
    with Origin("127.0.0.4") as metadata:
        metadata.serve("/latest/api/token", service(b"v2"))
        metadata.serve(path, service(b"role"))
        metadata.serve(path + "role", service(json.dumps(document).encode()))
        server = start(start_server, stub, {"AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata.url("")})
        assert get(server, "quarters.png").status == 200
        server.assert_unharmed()
    assert asked == [("/latest/api/token", None), (path, "v2"), (path + "role", "v2")]


def test_without_keys_nothing_is_sent_and_the_log_says_why(stub, start_server):
    server = start(start_server, stub, {"AWS_EC2_METADATA_DISABLED": "true", "HOME": "/nonexistent"})
    assert get(server, "a.png").status == 502
    assert stub.hits() == 0
    server.terminate()
