"""TLS: versions, protocols, clients that stall, and what is seen of all that."""

import os
import signal
import socket
import ssl
import subprocess

import pytest

from support import client, media
from support.client import Connection, Truncated, encode_request
from support.tls import make_certificate
from support.waiting import Gate, eventually

PING = "/optimux/ping"
SMALL = client.asset(media.QUARTERS_PNG, sizes="20x0")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def server_options(certificate):
    return certificate.options


def test_both_ports_are_told(server):
    assert [url.split(":")[0] for url in server.urls] == ["http", "https"]


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_the_same_answers_come_over_both_versions(server, certificate, version):
    plain = server.get(SMALL)
    with Connection(server.tls_address, tls=certificate.trust(version)) as connection:
        assert connection.socket.version() == f"TLSv{version}"
        for _ in range(2):
            answer = connection.get(SMALL)
            assert (answer.status, answer.body) == (200, plain.body)
        assert connection.socket.compression() is None
    line = eventually(lambda: last_request(server, f"tls={version}"), "the request is logged")
    assert "client=127.0.0.1 protocol=h1" in line


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_curl_gets_a_large_picture_whole(server, certificate, version, tmp_path):
    target = client.asset(media.PHOTO, sizes="2000x0", format="png")
    host, port = server.tls_address
    command = ["curl", "-sS", "--http1.1", "--cacert", certificate.path, f"--tlsv{version}", "--tls-max", version]
    subprocess.run([*command, "-o", tmp_path / "a.png", f"https://{host}:{port}{target}"], check=True, timeout=60)
    assert (tmp_path / "a.png").read_bytes() == server.get(target).body


def test_many_requests_pipelined_and_bytes_one_by_one(server, certificate):
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        connection.send(encode_request("GET", PING) * 50)
        assert all(connection.receive().body == b"pong\n" for _ in range(50))
        for byte in encode_request("GET", PING):
            connection.send(bytes([byte]))
        assert connection.receive().status == 200


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")  # That is what is tested.
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_versions_are_refused(server, certificate, version):
    context = certificate.trust()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    with pytest.raises(ssl.SSLError, match="(?i)protocol.version"):
        Connection(server.tls_address, tls=context)


def test_the_oldest_version_can_be_chosen(start_server, certificate):
    server = start_server(**certificate.options, tls_min_version="1.3")
    with pytest.raises(ssl.SSLError, match="(?i)protocol.version"):
        Connection(server.tls_address, tls=certificate.trust("1.2"))
    with Connection(server.tls_address, tls=certificate.trust("1.3")) as connection:
        assert connection.get(PING).status == 200


@pytest.mark.parametrize("cipher", ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256"])
def test_ciphers_without_forward_secrecy_or_authentication_are_refused(server, certificate, cipher):
    context = certificate.trust("1.2")
    context.set_ciphers(cipher)
    with pytest.raises(ssl.SSLError, match="(?i)handshake.failure"):
        Connection(server.tls_address, tls=context)


def test_protocols_by_alpn(start_server, certificate):
    server = start_server(**certificate.options, http2=False)

    def chosen(protocols):
        with Connection(server.tls_address, tls=certificate.trust(protocols=protocols)) as connection:
            assert connection.get(PING).status == 200
            return connection.socket.selected_alpn_protocol()

    assert chosen(["h2", "http/1.1"]) == "http/1.1"
    assert chosen(["http/1.1"]) == "http/1.1"
    assert chosen(None) is None
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        chosen(["h2"])


@pytest.mark.parametrize(
    "flags, is_tls, version",
    [
        (["--http1.1"], True, "1.1"),
        (["--http2"], True, "2"),  # By ALPN.
        (["--http2"], False, "2"),  # By Upgrade.
        (["--http2-prior-knowledge"], False, "2"),
        (["--http2", "-d", "[]"], False, "1.1"),  # A request with a body is not upgraded.
    ],
)
def test_curl_speaks_every_protocol(server, certificate, tmp_path, flags, is_tls, version):
    host, port = server.tls_address if is_tls else server.address
    target = "/optimux/preload" if "-d" in flags else SMALL
    url = f"{'https' if is_tls else 'http'}://{host}:{port}{target}"
    command = ["curl", "-sS", "--cacert", certificate.path, "-w", "%{http_version} %{http_code}", *flags]
    done = subprocess.run([*command, "-o", tmp_path / "body", url], check=True, capture_output=True, timeout=60)
    assert done.stdout.decode() == f"{version} {204 if '-d' in flags else 200}"
    if target == SMALL:
        assert (tmp_path / "body").read_bytes() == server.get(SMALL).body


def test_the_preface_may_come_slowly_but_not_too_slowly(start_server):
    server = start_server(header_timeout="1s")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
    with server.connect() as connection:
        for byte in preface:
            connection.send(bytes([byte]))
        assert connection.read_some()[3] == 4  # A SETTINGS frame.
    with server.connect() as connection:
        connection.send(preface[:10])
        assert connection.at_end()


def test_sessions_are_resumed(server, certificate):
    context = certificate.trust("1.2")
    with Connection(server.tls_address, tls=context) as first:
        assert first.get(PING).status == 200
        session = first.socket.session
    assert session.has_ticket
    with Connection(server.tls_address, tls=context, session=session) as second:
        assert second.socket.session_reused
        assert second.get(PING).status == 200


def test_cleartext_at_the_tls_port_is_told_so(server):
    with Connection(server.tls_address) as connection:
        answer = connection.get(PING)
        assert answer.status == 400
        assert answer.problem()["detail"] == "this port speaks TLS: use https"
        assert connection.at_end()


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x00\x05hello", bytes(100), os.urandom(1000), b"\x80\x2e\x01\x03"])
def test_garbage_is_closed(server, data):
    with Connection(server.tls_address) as connection:
        connection.send(b"\x16" + data)
        connection.socket.shutdown(socket.SHUT_WR)
        while connection.read_some():
            pass


def test_tls_at_the_cleartext_port_is_a_bad_request(server, certificate):
    with pytest.raises((ssl.SSLError, ConnectionError)):
        Connection(server.address, tls=certificate.trust())


def test_a_whole_answer_ends_with_a_notice_and_a_cut_one_does_not(start_server, origin, certificate):
    times = {"request_deadline": "60s", "drain_timeout": "200ms"}
    server = start_server(**certificate.options, **times, allow_source=f"{origin.host}/32")
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(PING, Connection="close").status == 200
        assert connection.at_end()  # An end without notice would raise.
    gate = Gate()
    url = origin.serve("/cut.jpg", lambda exchange: (gate.wait(), exchange.answer(b"")))
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        connection.send(encode_request("GET", client.resize(url, sizes="50x0")))
        gate.await_waiting(1)
        server.signal(signal.SIGTERM)
        with pytest.raises(ssl.SSLError, match="UNEXPECTED_EOF"):
            connection.receive()
        gate.open()
    assert server.wait() == 1


def test_an_idle_connection_ends_with_a_notice(start_server, certificate):
    server = start_server(**certificate.options, idle_timeout="100ms")
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(PING).status == 200
        assert connection.at_end()


def test_a_client_that_leaves_takes_its_request_with_it(server, certificate, origin):
    gate = Gate()
    url = origin.serve("/leaves.jpg", lambda exchange: (gate.wait(), exchange.answer(b"")))
    connection = Connection(server.tls_address, tls=certificate.trust())
    connection.send(encode_request("GET", client.resize(url, sizes="50x0")))
    eventually(lambda: server.requests_in_flight() == 1, "the request is being answered")
    connection.close()
    eventually(lambda: server.requests_in_flight() == 0, "the request has ended")
    gate.open()
    eventually(lambda: "status=499" in (last_request(server, "tls=1.3") or ""), "it is logged as left")


def test_a_reader_that_stalls_is_cut(start_server, certificate):
    server = start_server(**certificate.options, write_stall_timeout="300ms")
    connection = Connection(server.tls_address, tls=certificate.trust(), receive_buffer=4096)
    connection.send(encode_request("GET", client.asset(media.PHOTO, sizes="3000x0", format="png")))
    assert connection.receive_head().status == 200
    eventually(lambda: "whole=false" in server.read_log(), "the answer is cut")
    with pytest.raises((ssl.SSLError, ConnectionError, Truncated)):
        while connection.read_some():
            pass
        raise Truncated


def test_stalled_handshakes_are_cut_and_hold_nobody_up(start_server, certificate):
    server = start_server(**certificate.options, header_timeout="1s", max_connections=60)
    hello = client_hello(certificate)
    stalled = [Connection(server.tls_address) for _ in range(50)]
    for number, connection in enumerate(stalled):
        connection.send(hello[: [0, 1, 5, 100, len(hello)][number % 5]])
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(SMALL).status == 200
    for connection in stalled:
        while connection.read_some():
            pass
    metrics = server.metrics()
    assert metrics.value("optimux_tls_handshakes_total", outcome="abandoned") == 40  # Ten have sent nothing at all.
    assert metrics.value("optimux_tls_handshakes_total", outcome="full") == 1


def test_stalled_handshakes_make_room_for_others(start_server, certificate):
    server = start_server(**certificate.options, max_connections=10, header_timeout="60s")
    hello = client_hello(certificate)
    stalled = [Connection(server.tls_address) for _ in range(50)]
    for connection in stalled:
        connection.send(hello[:100])
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(SMALL).status == 200
    assert server.metrics().value("optimux_http_connections_closed_idle_total") >= 40
    for connection in stalled:
        connection.close()


def test_drain_finishes_what_was_asked_over_tls(start_server, origin, root, certificate):
    server = start_server(**certificate.options, allow_source=f"{origin.host}/32", request_deadline="60s")
    gate, data = Gate(), (root / media.QUARTERS_JPEG).read_bytes()
    url = origin.serve("/drain-tls.jpg", lambda exchange: (gate.wait(), exchange.answer(data)))
    connection = Connection(server.tls_address, tls=certificate.trust())
    connection.send(encode_request("GET", client.resize(url, sizes="50x0")))
    gate.await_waiting(1)
    server.signal(signal.SIGTERM)
    eventually(lambda: refuses_connections(server.tls_address), "new connections are refused")
    gate.open()
    answer = connection.receive()
    assert answer.status == 200
    assert answer.header("Connection") == "close"
    assert connection.at_end()
    assert server.wait() == 0


def test_what_metrics_tell(server, certificate):
    with Connection(server.tls_address, tls=certificate.trust("1.2")) as connection:
        assert connection.get(PING).status == 200
    eventually(
        lambda: server.metrics().value("optimux_http_protocol_requests_total", protocol="h1", tls="1.2") >= 1,
        "the request is counted",
    )
    metrics = server.metrics()
    assert metrics.value("optimux_tls_handshakes_total", outcome="full") >= 1
    ends = ssl.cert_time_to_seconds(decode(certificate)["notAfter"])
    assert metrics.value("optimux_tls_certificate_end_seconds") == ends


def last_request(server, mark: str) -> str | None:
    lines = [line for line in server.read_log().splitlines() if "event=request " in line and mark in line]
    return lines[-1] if lines else None


def client_hello(certificate) -> bytes:
    """What a client sends first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    handshake = certificate.trust().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        handshake.do_handshake()
    return outgoing.read()


def decode(certificate) -> dict:
    return ssl.create_default_context(cafile=certificate.path).get_ca_certs()[0]


def refuses_connections(address) -> bool:
    try:
        socket.create_connection(address, 5).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it was in the queue when the listener closed
        return True
    return False
