"""Nobody gets the server to fetch from where it should not, and no answer tells what is there."""

import pytest

from support import client

# Ways to write an address of this machine, or of a network behind it.
PRIVATE_URLS = [
    "http://127.0.0.1:{port}/a.jpg",
    "http://0.0.0.0:{port}/a.jpg",
    "http://0:{port}/a.jpg",
    "http://127.1:{port}/a.jpg",
    "http://2130706433:{port}/a.jpg",
    "http://017700000001:{port}/a.jpg",
    "http://0177.0.0.1:{port}/a.jpg",
    "http://0x7f.0.0.1:{port}/a.jpg",
    "http://0x7f000001:{port}/a.jpg",
    "http://localhost:{port}/a.jpg",
    "http://LOCALHOST.:{port}/a.jpg",
    "http://[::1]:{port}/a.jpg",
    "http://[::]:{port}/a.jpg",
    "http://[::ffff:127.0.0.1]:{port}/a.jpg",
    "http://[::ffff:7f00:1]:{port}/a.jpg",
    "http://[::127.0.0.1]:{port}/a.jpg",
    "http://[64:ff9b::7f00:1]:{port}/a.jpg",
    "http://[2002:7f00:1::]:{port}/a.jpg",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]:{port}/a.jpg",
    "http://10.0.0.1:{port}/a.jpg",
    "http://172.16.0.1:{port}/a.jpg",
    "http://192.168.0.1:{port}/a.jpg",
    "http://100.64.0.1:{port}/a.jpg",
    "http://[fd00::1]:{port}/a.jpg",
    "http://224.0.0.1:{port}/a.jpg",
    "http://255.255.255.255:{port}/a.jpg",
    "http://127.0.0.1%00.example.org:{port}/a.jpg",
    "http://127.0.0.2@127.0.0.1:{port}/a.jpg",
    "http://user:pass@127.0.0.1:{port}/a.jpg",
    "http://127.0.0.1:{port}\\@127.0.0.2/a.jpg",
    "http://127.0.0.1:{port}#@127.0.0.2/a.jpg",
    "http://①②⑦.⓪.⓪.①:{port}/a.jpg",
]
OTHER_SCHEMES = [
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://127.0.0.1:{port}/a.jpg",
    "gopher://127.0.0.1:{port}/_a",
    "dict://127.0.0.1:{port}/a",
    "data:image/png;base64,AAAA",
    "tftp://127.0.0.1:{port}/a",
    "ldap://127.0.0.1:{port}/a",
    "unix:///run/a",
    "jar:http://127.0.0.1:{port}/!/a",
    "//127.0.0.1:{port}/a.jpg",
    "127.0.0.1:{port}/a.jpg",
    "",
    "http://",
    "http:",
]


@pytest.fixture(autouse=True)
def canary_stays_untouched(canary):
    before = canary.hits
    yield
    assert canary.hits == before, "somebody was sent to the canary"


@pytest.mark.parametrize("template", PRIVATE_URLS)
def test_private_address_is_refused(server, canary, template):
    response = server.get(client.resize(template.format(port=canary.port), sizes="10x0"))
    assert response.status in (400, 403), response.body[:300]
    response.problem()


def test_one_text_for_all_refusals(server, canary):
    urls = [
        f"http://{host}:{canary.port}/a.jpg"
        for host in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "localhost")
    ]
    urls.append("http://127.0.0.1:1/nobody-listens-here.jpg")
    urls.append("http://no-such-name.invalid/a.jpg")
    bodies = set()
    for url in urls:
        response = server.get(client.resize(url, sizes="10x0"))
        assert response.status == 403, url
        problem = response.problem()
        del problem["request_id"]
        problem.pop("instance", None)
        bodies.add(tuple(sorted(problem.items())))
        assert canary_free(response, canary)
    assert len(bodies) == 1, bodies


def canary_free(response, canary) -> bool:
    return str(canary.port) not in response.body.decode() and b"127.0.0.1" not in response.body


@pytest.mark.parametrize("template", OTHER_SCHEMES)
def test_other_schemes_and_half_urls_are_refused(server, canary, template):
    response = server.get(client.resize(template.format(port=canary.port), sizes="10x0"))
    assert response.status in (400, 403, 404), response.body[:300]
    assert b"root:" not in response.body
    response.problem()


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:{port}/",
        "http://169.254.169.254/",
        "http://[::1]:{port}/",
        "http://0.0.0.0:{port}/",
        "http://localhost:{port}/",
        "//127.0.0.1:{port}/",
        "http://2130706433:{port}/",
        "file:///etc/passwd",
        "ftp://127.0.0.1:{port}/a.jpg",
        "gopher://127.0.0.1:{port}/",
        "dict://127.0.0.1:{port}/",
        "data:image/gif;base64,R0lGODlh",
    ],
)
def test_redirect_to_where_it_should_not_go_is_refused(server, origin, canary, target):
    url = origin.redirect("/leads-astray", target.format(port=canary.port))
    response = server.get(client.resize(url, sizes="10x0"))
    assert response.status in (403, 404, 502), response.body[:300]
    assert b"root:" not in response.body and b"canary" not in response.body
    response.problem()


def test_redirect_within_what_is_allowed_is_followed(server, origin, root):
    origin.serve_bytes("/end.png", (root / "quarters.png").read_bytes())
    origin.redirect("/middle.png", "/end.png", "301 Moved Permanently")
    url = origin.redirect("/start.png", origin.url("/middle.png"), "307 Temporary Redirect")
    assert server.get(client.resize(url, sizes="10x0")).status == 200


def test_info_refuses_the_same(server, canary):
    response = server.get("/info?" + client.query({"image_url": f"http://127.0.0.1:{canary.port}/a.jpg"}))
    assert response.status == 403
    response.problem()


def test_nothing_private_is_allowed_by_default(start_server, origin, root):
    server = start_server()
    url = origin.serve_bytes("/reachable.png", (root / "quarters.png").read_bytes())
    assert server.get(client.resize(url, sizes="10x0")).status == 403
    assert origin.hits("/reachable.png") == 0


def test_proxy_of_the_environment_is_not_used(start_server, origin, canary, root):
    proxy = f"http://127.0.0.1:{canary.port}"
    server = start_server(
        allow_source="127.0.0.2/32", environment={"http_proxy": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy}
    )
    url = origin.serve_bytes("/direct.png", (root / "quarters.png").read_bytes())
    assert server.get(client.resize(url, sizes="10x0")).status == 200


def test_headers_of_the_client_are_not_passed_on(server, origin, root):
    seen = []

    def script(exchange):
        seen.append(exchange.headers)
        exchange.answer((root / "quarters.png").read_bytes())

    url = origin.serve("/curious.png", script)
    server.request(
        "GET",
        client.resize(url, sizes="11x0"),
        {"Cookie": "secret=1", "Authorization": "Basic c2VjcmV0", "X-Forwarded-For": "1.2.3.4"},
    )
    assert not {"cookie", "authorization", "x-forwarded-for"} & seen[0].keys()
