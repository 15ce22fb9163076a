"""HTTP/2 on the public port, spoken by h2 and by curl."""

import json
import signal
import subprocess

from support import client, media
from support.http2 import Http2Connection
from support.waiting import eventually


def test_the_same_answer_as_http1(server):
    target = client.asset(media.PHOTO, sizes="300x0", format="jpeg")
    first = server.get(target)
    with Http2Connection(server.address) as connection:
        response = connection.get(target)
    assert response.status == 200
    assert response.body == first.body
    assert response.headers["etag"] == first.header("ETag")
    assert response.headers["content-type"] == "image/jpeg"
    assert "connection" not in response.headers and "transfer-encoding" not in response.headers


def test_curl_by_prior_knowledge(server, tmp_path):
    target = client.asset(media.PHOTO, sizes="200x0", format="webp")
    host, port = server.address
    picture = tmp_path / "picture"
    command = ["curl", "-sS", "--http2-prior-knowledge", "-o", picture, "-w", "%{http_version} %{http_code}"]
    done = subprocess.run([*command, f"http://{host}:{port}{target}"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "2 200", done
    assert picture.read_bytes() == server.get(target).body


def test_other_sizes_are_hinted_at_while_they_are_made(server):
    """Asked for as a page: a 103 with the links of the answer, while there is something to wait for; not for a hit."""
    target = client.asset(media.PHOTO, sizes="301x0,201x0", format="webp")
    host, port = server.address
    command = ["curl", "-sS", "--http2-prior-knowledge", "-o", "/dev/null", "-D", "-", f"http://{host}:{port}{target}"]
    first, again, other = (
        subprocess.run([*command, "-H", f"Sec-Fetch-Mode: {mode}"], capture_output=True, text=True, timeout=60).stdout
        for mode in ("navigate", "navigate", "no-cors")
    )
    hints, head = first.split("\n\n")[:2]
    assert hints.startswith("HTTP/2 103") and head.startswith("HTTP/2 200"), first
    links = [line for line in hints.splitlines() if line.startswith("link: ")]
    assert len(links) == 1 and "201x0" in links[0] and links[0] in head.splitlines()
    assert " 103" not in again and " 200" in again
    assert " 103" not in other and " 200" in other


def test_many_requests_on_one_connection(server):
    with Http2Connection(server.address) as connection:
        streams = {
            connection.request("GET", client.asset(media.QUARTERS_PNG, sizes=f"{width}x0", format="jpeg")): width
            for width in range(10, 110)
        }
        bodies = {width: connection.receive(stream) for stream, width in streams.items()}
    for width, response in bodies.items():
        assert response.status == 200, width
        assert response.body == server.get(client.asset(media.QUARTERS_PNG, sizes=f"{width}x0", format="jpeg")).body


def test_all_kinds_of_requests(server):
    with Http2Connection(server.address) as connection:
        head = connection.receive(connection.request("HEAD", client.asset(media.PHOTO, sizes="300x0")))
        assert head.status == 200 and head.body == b"" and "etag" in head.headers
        posted = connection.receive(
            connection.request("POST", "/optimux/preload", {}, json.dumps([{"url": "/optimux/assets/a.jpg"}]).encode())
        )
        assert posted.status == 204 and "link" in posted.headers
        options = connection.receive(connection.request("OPTIONS", "/health"))
        assert options.status == 204 and options.headers["allow"] == "GET, HEAD, OPTIONS"
        missing = connection.get("/nowhere")
        assert missing.status == 404 and json.loads(missing.body)["status"] == 404
        wrong = connection.get(client.asset(media.PHOTO, sizes="-1x0"))
        assert wrong.status == 400
        not_modified = connection.get(
            client.asset(media.PHOTO, sizes="300x0"), **{"if-none-match": head.headers["etag"]}
        )
        assert not_modified.status == 304 and not_modified.body == b""


def test_urgent_pictures_overtake(start_server):
    """Two large pictures that are finished already: the second one is more urgent, and the first one does not hold it up."""
    server = start_server()
    target = client.asset(media.PHOTO, sizes="2000x0", format="png", effort=0)
    size = len(server.get(target).body)
    with Http2Connection(server.address, initial_window=1 << 26, opens_windows=False) as connection:
        slow = connection.request("GET", target, {"priority": "u=6"})
        while not connection.order:
            connection.read_once()
        urgent = connection.request("GET", target, {"priority": "u=0"})
        connection.h2.increment_flow_control_window(1 << 28)
        connection.flush()
        assert len(connection.receive(urgent).body) == size
        assert len(connection.responses[slow].body) < size / 2
        assert len(connection.receive(slow).body) == size


def test_a_reset_ends_the_work(server):
    """Nobody else waits for this picture, so its render is stopped; until it has, it keeps its memory."""
    before = server.metrics().value("optimux_renders_cancelled_total")
    with Http2Connection(server.address) as connection:
        stream = connection.request("GET", client.asset(media.PHOTO, sizes="0x0", blur=50, format="jpeg"))
        eventually(lambda: server.image_pool()["in_flight"] == 1, "the render runs")
        connection.h2.reset_stream(stream, 8)
        connection.flush()
        server.await_idle()
        assert connection.get("/health").status == 200
    assert server.metrics().value("optimux_renders_cancelled_total") == before + 1


def test_drain_ends_connections_in_peace(start_server):
    server = start_server(drain_idle_grace="50ms")
    with Http2Connection(server.address) as connection:
        assert connection.get("/health").status == 200
        server.signal(signal.SIGTERM)
        connection.read_until_closed()
        assert connection.goaway == 0
    assert server.wait() == 0


def test_log_and_metrics_know_the_protocol(server):
    with Http2Connection(server.address) as connection:
        connection.get("/nowhere-at-all")
    eventually(lambda: "/nowhere-at-all" in server.read_log(), "the request is logged")
    line = next(line for line in server.read_log().splitlines() if "/nowhere-at-all" in line)
    assert "protocol=h2" in line and "stream=1" in line
    assert server.metrics().value("optimux_http2_streams_total") >= 1
