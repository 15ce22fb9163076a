"""Start, reload, drain and end, and the addresses that a server can have."""

import os
import signal
import socket
import stat

import pytest

from support import client, media
from support.client import Connection, encode_request
from support.server import run_optimux
from support.waiting import Gate, eventually

SMALL = client.asset(media.QUARTERS_PNG, sizes="20x0")
SLOW_RENDER = {"sizes": "1000x0", "format": "avif", "effort": 4}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_drain_answers_everything_that_had_been_accepted(start_server, origin, root, number):
    server = start_server(allow_source="127.0.0.2/32", request_deadline="60s")
    gate, data = Gate(), (root / media.QUARTERS_JPEG).read_bytes()
    url = origin.serve(f"/drain-{number}.jpg", lambda exchange: (gate.wait(), exchange.answer(data)))
    fetching, rendering = server.connect(), server.connect()
    fetching.send(encode_request("GET", client.resize(url, sizes="50x0")))
    rendering.send(encode_request("GET", client.asset(media.PHOTO, **SLOW_RENDER)))
    gate.await_waiting(1)
    eventually(lambda: server.image_pool()["in_flight"] == 1, "the render runs")
    server.signal(number)
    eventually(lambda: refuses_connections(server.address), "new connections are refused")
    gate.open()
    assert rendering.receive().status == 200
    answer = fetching.receive()
    assert answer.status == 200
    assert answer.header("Connection") == "close"
    assert server.wait() == 0


def test_an_encoder_that_cannot_be_stopped_does_not_keep_the_process(start_server):
    """The AVIF encode of 12 megapixels takes a long time at effort 4, and its client has left."""
    server = start_server(image_workers_min=1, image_workers_max=1)
    connection = server.connect()
    connection.send(encode_request("GET", client.asset(media.PHOTO, sizes="10x0,0x0", format="avif", effort=4)))
    assert connection.receive_head().status == 200  # The small one is encoded, the large one is next.
    server.signal(signal.SIGTERM)
    connection.close()
    assert server.wait() == 0


def test_without_a_root_one_line_and_every_answer_say_so(start_server):
    server = start_server(root=None)
    for target in (SMALL, client.asset("missing.jpg"), client.resize("file:///a.jpg")):
        answer = server.get(target)
        assert answer.status == 404
        assert answer.problem()["detail"] == "no store is configured"
    assert server.terminate() == 0
    warnings = [line for line in server.read_log().splitlines() if " warning " in line and "no root" in line]
    assert len(warnings) == 1


def test_with_a_root_nothing_is_said_of_it(start_server):
    server = start_server()
    assert server.terminate() == 0
    log = server.read_log()
    assert "started" in log
    assert "no root" not in log


def test_drain_of_many_requests_loses_none(start_server):
    server = start_server(request_deadline="60s")
    connections = [server.connect() for _ in range(60)]
    for width, connection in enumerate(connections):
        connection.send(encode_request("GET", client.asset(media.PHOTO, sizes=f"{100 + width}x0", format="webp")))
    eventually(lambda: server.requests_in_flight() > 0, "they are being worked on")
    server.signal(signal.SIGTERM)
    assert [connection.receive().status for connection in connections] == [200] * 60
    assert server.wait() == 0


def test_ready_turns_503_before_connections_are_refused(start_server):
    server = start_server(drain_delay="700ms")
    with server.connect() as connection:
        assert connection.get("/ready").status == 200
    server.signal(signal.SIGTERM)
    eventually(lambda: server.get("/ready").status == 503, "/ready says so")
    assert server.get("/health").status == 200
    assert server.wait() == 0


def test_idle_connections_do_not_hold_the_drain(start_server):
    server = start_server()
    connections = [server.connect() for _ in range(5)]
    for connection in connections:
        assert connection.get("/health").status == 200
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    assert all(connection.at_end() for connection in connections)


def test_drain_timeout_ends_what_does_not_end(start_server, origin):
    server = start_server(
        allow_source="127.0.0.2/32", drain_timeout="300ms", fetch_timeout="60s", request_deadline="60s"
    )
    gate = Gate()
    url = origin.serve("/never.jpg", lambda exchange: gate.wait())
    with server.connect() as connection:
        connection.send(encode_request("GET", client.resize(url)))
        gate.await_waiting(1)
        server.signal(signal.SIGTERM)
        code = server.wait()
        gate.open()
    assert code != 0  # A request was cut off, and the exit code says so.


def test_second_signal_ends_at_once(start_server, origin):
    server = start_server(allow_source="127.0.0.2/32", drain_timeout="60s", fetch_timeout="60s", request_deadline="60s")
    gate = Gate()
    url = origin.serve("/never-either.jpg", lambda exchange: gate.wait())
    with server.connect() as connection:
        connection.send(encode_request("GET", client.resize(url)))
        gate.await_waiting(1)
        server.signal(signal.SIGTERM)
        eventually(lambda: refuses_connections(server.address), "it drains")
        server.signal(signal.SIGTERM)
        assert server.wait() != 0
        gate.open()


def test_sighup_takes_over_the_configuration_file(start_server, tmp_path):
    file = tmp_path / "optimux.toml"
    file.write_text('cache_ttl = "100s"\n')
    server = start_server(config=file)
    assert "max-age=100" in server.get(SMALL).header("Cache-Control")
    with server.connect() as kept:
        assert kept.get("/health").status == 200
        file.write_text('cache_ttl = "200s"\n')
        server.signal(signal.SIGHUP)
        eventually(lambda: "max-age=200" in server.get(SMALL).header("Cache-Control"), "the new value is in effect")
        assert kept.get("/health").status == 200


def test_sighup_with_a_broken_file_changes_nothing(start_server, tmp_path):
    file = tmp_path / "optimux.toml"
    file.write_text('cache_ttl = "100s"\n')
    server = start_server(config=file)
    before = len(server.read_log())
    file.write_text('cache_ttl = "soon"\n')
    server.signal(signal.SIGHUP)
    eventually(lambda: "cache_ttl" in server.read_log()[before:], "the log names the wrong key")
    assert "max-age=100" in server.get(SMALL).header("Cache-Control")


def test_unix_socket(start_server, tmp_path):
    path = str(tmp_path / "optimux.sock")
    server = start_server(listen=f"unix:{path}", unix_mode="0600")
    assert server.urls == [f"unix:{path}"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert server.get(SMALL).status == 200
    assert server.terminate() == 0
    assert not os.path.exists(path)


def test_unix_socket_of_a_dead_server_is_taken_over(start_server, tmp_path):
    path = str(tmp_path / "optimux.sock")
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(path)
    assert start_server(listen=f"unix:{path}").get(SMALL).status == 200


def test_several_addresses(start_server, tmp_path):
    path = str(tmp_path / "optimux.sock")
    server = start_server(listen=["127.0.0.1:0", "127.0.0.1:0", f"unix:{path}"])
    assert len(server.addresses) == 3
    assert [client.fetch(address, "GET", "/health").status for address in server.addresses] == [200] * 3


def test_successor_on_the_same_port_takes_over_without_a_failed_request(start_server):
    first = start_server(reuse_port=True)
    host, port = first.address
    second = start_server(reuse_port=True, listen=f"{host}:{port}")
    assert second.address == first.address
    with Connection(first.address) as connection:
        assert connection.get("/health").status == 200
    first.signal(signal.SIGTERM)
    assert first.wait() == 0
    assert [second.get("/health").status for _ in range(20)] == [200] * 20


def test_port_that_is_taken_is_an_error_that_names_it(start_server, root):
    server = start_server()
    address = "{}:{}".format(*server.address)
    done = run_optimux("serve", "--listen", address, "--admin", "127.0.0.1:0", "--root", root)
    assert done.returncode != 0
    assert address in done.stderr.decode()
    assert done.stdout == b""


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--listen", "nonsense"], "listen"),
        (["--header-timeout", "5"], "header"),
        (["--image-queue", "0"], "image"),
        (["--no-such-option"], "no-such-option"),
        (["--admin", "0.0.0.0:0"], "admin"),
        (["--config", "/no/such/file.toml"], "/no/such/file.toml"),
    ],
)
def test_wrong_option_is_refused_before_anything_is_served(root, arguments, named):
    done = run_optimux("serve", "--root", root, *arguments)
    assert done.returncode != 0
    assert named in done.stderr.decode()
    assert b"listening" not in done.stdout


def test_missing_root_is_refused(tmp_path):
    done = run_optimux("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--root", tmp_path / "nowhere")
    assert done.returncode != 0
    assert "root" in done.stderr.decode()


def refuses_connections(address) -> bool:
    try:
        with Connection(address, timeout=1):
            return False
    except OSError:
        return True
