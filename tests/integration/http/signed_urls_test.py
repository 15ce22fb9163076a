"""A server with keys answers what was signed with one of them, and nothing else."""

import base64
import hashlib
import hmac
import json
import re
import signal
import time

import pytest

from support import client, media
from support.server import run_optimux
from support.waiting import eventually

KEY, OLD_KEY, FOREIGN_KEY = "a1" * 32, "b2" * 32, "c3" * 32


def sign(target: str, key: str = KEY) -> str:
    digest = hmac.new(bytes.fromhex(key), target.encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return target + ("&" if "?" in target else "?") + "sig=" + signature


def rendition(**parameters) -> str:
    return client.asset(media.QUARTERS_PNG, **({"sizes": "24x0"} | parameters))


@pytest.fixture
def keys(tmp_path):
    """A file with a new key and an old one."""
    file = tmp_path / "keys"
    file.write_text(f"{KEY}\n{OLD_KEY}\n")
    return file


@pytest.fixture
def server(start_server, keys):
    """Signs the requests by which the harness checks that it is unharmed."""
    started = start_server(signing_keys=f"@{keys}")
    started.assert_unharmed = lambda: assert_answers(started)
    return started


def assert_answers(server):
    assert server.is_alive()
    assert server.get(sign(rendition(quality=3, format="jpeg"))).status == 200
    server.await_idle()


def told(response) -> dict:
    """The problem without what is different in each."""
    problem = response.problem()
    del problem["request_id"]
    return problem


def test_signed_is_answered_and_everything_else_refused_with_one_text(server):
    target = rendition()
    assert server.get(sign(target)).status == 200
    assert server.get(sign(target, OLD_KEY)).status == 200
    refused = [
        target,
        target + "&sig=",
        target + "&sig=" + "A" * 43,
        sign(target, FOREIGN_KEY),
        sign(target) + "&quality=50",
        sign(target).replace("24x0", "25x0"),
        sign(target).replace("/optimux/assets/", "/optimux/static/"),
        sign(rendition(expires=int(time.time()) - 120)),
        rendition(sizes="24x0,nonsense"),
        client.asset("no-such-key.jpg"),
        "/resize?image_url=http://127.0.0.1/",
        "/optimux/info/" + media.QUARTERS_PNG,
    ]
    answers = [server.get(one) for one in refused]
    assert [answer.status for answer in answers] == [403] * len(refused)
    assert len({json.dumps(told(answer), sort_keys=True) for answer in answers}) == 1
    assert {answer.header("Cache-Control") for answer in answers} == {"no-store"}
    for cause in ("does not end with a signature", "the signature is wrong", "the URL has expired"):
        eventually(lambda cause=cause: cause in server.read_log(), f"the log says that {cause}")


def test_the_parts_that_render_nothing_need_no_signature(server):
    for target in ("/health", "/ready", "/optimux/ping", "/", "/optimux/docs", "/openapi.json"):
        assert server.get(target).status == 200, target


def test_head_and_info_are_signed_like_get(server):
    assert server.request("HEAD", sign(rendition())).status == 200
    assert server.request("HEAD", rendition()).status == 403
    assert server.get(sign("/optimux/info/" + media.QUARTERS_PNG)).json()["width"] == 400


def test_a_url_holds_until_it_expires_and_no_cache_keeps_it_longer(server):
    response = server.get(sign(rendition(expires=int(time.time()) + 600)))
    assert response.status == 200
    assert 500 < int(re.fullmatch(r"public, max-age=(\d+)", response.header("Cache-Control"))[1]) <= 600
    assert server.get(sign(rendition(expires=int(time.time()) - 5))).status == 200, "within the skew of the clocks"
    assert server.get(sign(rendition(expires="soon"))).status == 400


def test_signature_key_and_end_make_no_second_rendition(server):
    first = server.get(sign(rendition(sizes="31x0")))
    renders = server.renders()
    for target in (
        sign(rendition(sizes="31x0"), OLD_KEY),
        sign(rendition(sizes="31x0", expires=int(time.time()) + 60)),
        sign(rendition(expires=int(time.time()) + 90, sizes="31x0")),
    ):
        again = server.get(target)
        assert (again.status, again.body, again.header("ETag")) == (200, first.body, first.header("ETag"))
    assert server.renders() == renders


def test_links_to_other_sizes_can_be_followed(server):
    response = server.get(sign(rendition(sizes="40x0,41x0,42x0", expires=int(time.time()) + 60)))
    targets = [re.match("<([^>]*)>", link)[1] for link in response.all("Link")]
    assert len(targets) == 2
    for target in targets:
        assert "expires=" in target
        assert server.get(target).status == 200, target
        assert server.get(target.replace("x0", "x1")).status == 403


def test_preload_is_no_place_to_get_a_signature(server):
    def preload(*urls):
        entries = [{"url": url, "priority": index % 8} for index, url in enumerate(urls)]
        return server.request("POST", "/optimux/preload", body=json.dumps(entries).encode())

    assert preload(sign(rendition()), "/elsewhere.png").status == 204
    response = preload(sign(rendition()), rendition(sizes="99x0"))
    assert response.status == 403
    assert not response.all("Link")
    assert b"sig=" not in response.body


def test_what_the_command_signs_is_answered(server, keys):
    done = run_optimux("sign", rendition(sizes="26x0"), "--key", f"@{keys}", "--expires", "1m")
    assert server.get(done.stdout.decode().strip()).status == 200


def test_keys_are_changed_while_running(server, keys):
    keys.write_text(f"{FOREIGN_KEY}\n{KEY}\n")
    server.signal(signal.SIGHUP)
    eventually(lambda: server.get(sign(rendition(), FOREIGN_KEY)).status == 200, "the new key is taken")
    assert server.get(sign(rendition(), OLD_KEY)).status == 403
    assert server.get(sign(rendition())).status == 200
    keys.write_text("no key\n")
    server.signal(signal.SIGHUP)
    eventually(lambda: "configuration not reloaded" in server.read_log(), "the log says what is wrong")
    assert server.get(sign(rendition())).status == 200
    assert "a1a1" not in server.read_log()


def test_without_keys_a_signed_url_is_a_url(start_server):
    server = start_server()
    assert server.get(sign(rendition(expires=1))).status == 200
