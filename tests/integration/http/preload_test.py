"""The preload list: links in the order of their urgency."""

import json
import re

import pytest


def test_preload_answers_links_most_urgent_first(server):
    entries = [
        {"url": "/optimux/assets/c.png", "priority": 5},
        {"url": "/optimux/assets/a.png", "priority": 0},
        {"url": "/optimux/assets/d.png", "priority": 7},
        {"url": "/optimux/assets/b.png", "priority": 1},
    ]
    response = server.request(
        "POST", "/optimux/preload", {"Content-Type": "application/json"}, json.dumps(entries).encode()
    )
    assert response.status == 204
    links = [link for field in response.all("Link") for link in field.split(", ")]
    assert [re.match("<([^>]*)>", link)[1][-5] for link in links] == list("abcd")
    assert all("rel=preload" in link and "as=image" in link for link in links)


def test_preload_takes_2000_and_no_more(server):
    entries = [{"url": f"/optimux/assets/{index}.png", "priority": index % 8} for index in range(2001)]
    assert server.request("POST", "/optimux/preload", body=json.dumps(entries[:2000]).encode()).status == 204
    response = server.request("POST", "/optimux/preload", body=json.dumps(entries).encode())
    assert response.status == 400
    assert "2000" in response.problem()["detail"].replace(",", "")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"null",
        b"[1]",
        b"[{}]",
        b'[{"url": 1, "priority": 1}]',
        b'[{"url": "/a", "priority": "x"}]',
        b'[{"url": "/a", "priority": 99}]',
        b"[" * 100_000,
        b'[{"url": "/a"',
        b"\xff\xfe",
        b'[{"url": ""}]',
        b'[{"url":"/a","priority":1e999}]',
    ],
)
def test_malformed_preload_is_refused(server, body):
    response = server.request("POST", "/optimux/preload", body=body)
    assert response.status == 400, response.status
    response.problem()


def test_preload_cannot_inject_a_header(server):
    entries = [{"url": "/a\r\nX-Injected: yes", "priority": 0}, {"url": "/b>; rel=evil, <", "priority": 1}]
    response = server.request("POST", "/optimux/preload", body=json.dumps(entries).encode())
    assert response.status in (204, 400)
    assert response.header("X-Injected") is None
    for field in response.all("Link"):
        assert field.count("<") == field.count(">") == 1, field
