"""Sockets that the service manager has opened, and what they stand for."""

import socket
import sys

import pytest

from support import client, media
from support.client import Connection, encode_request
from support.tls import make_certificate

SMALL = client.asset(media.QUARTERS_PNG, sizes="20x0")

# Runs a command with sockets as systemd passes them: from descriptor 3 on, and the process id in the environment.
ACTIVATE = """
import fcntl, os, sys
passed = [int(number) for number in sys.argv[1].split(",")]
away = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 100) for descriptor in passed]
for descriptor in passed:
    os.close(descriptor)
for place, descriptor in enumerate(away, 3):
    os.dup2(descriptor, place, inheritable=True)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[2], sys.argv[2:])
"""


def passing(listeners: dict[str, socket.socket]) -> dict:
    """Options of a server that gets these sockets under these names."""
    descriptors = [listener.fileno() for listener in listeners.values()]
    return {
        "prefix": [sys.executable, "-c", ACTIVATE, ",".join(map(str, descriptors))],
        "environment": {"LISTEN_FDS": str(len(listeners)), "LISTEN_FDNAMES": ":".join(listeners)},
        "process_options": {"pass_fds": descriptors},
    }


def url_of(listener: socket.socket, scheme: str = "http") -> str:
    return "{}://{}:{}".format(scheme, *listener.getsockname())


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as opened:
        yield opened


@pytest.fixture
def certificate(tmp_path):
    return make_certificate(tmp_path)


def test_a_socket_takes_the_place_of_listen(start_server, listener):
    # A client may come before the server is there.
    with Connection(listener.getsockname()) as early:
        early.send(encode_request("GET", "/health"))
        server = start_server(**passing({"optimux.socket": listener}))
        assert early.receive().status == 200
    assert server.urls == [url_of(listener)]
    assert server.get(SMALL).status == 200


def test_listen_fds_meant_for_another_process_are_left_alone(start_server):
    server = start_server(environment={"LISTEN_FDS": "1", "LISTEN_PID": "1"})
    assert server.get("/health").status == 200


def test_a_socket_for_cleartext_leaves_listen_tls_alone(start_server, listener, certificate):
    server = start_server(**passing({"optimux.socket": listener}), **certificate.options)
    assert [url.split(":")[0] for url in server.urls] == ["http", "https"]
    assert server.urls[0] == url_of(listener)
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(SMALL).status == 200


def test_a_socket_named_tls_takes_the_place_of_both(start_server, listener, certificate):
    server = start_server(**passing({"tls": listener}), **certificate.options)
    assert server.urls == [url_of(listener, "https")]
    with Connection(server.tls_address, tls=certificate.trust()) as connection:
        assert connection.get(SMALL).status == 200
    assert server.terminate() == 0
    assert " warning " not in server.read_log()


def test_a_certificate_that_nobody_gets_is_a_warning(start_server, listener, certificate):
    server = start_server(**passing({"optimux.socket": listener}), **certificate.options | {"listen_tls": None})
    assert server.urls == [url_of(listener)]
    assert 'warning event="certificate has no effect" remedy="listen_tls, or a socket' in server.read_log()


def test_sockets_for_everything(start_server, listener, certificate):
    with socket.create_server(("127.0.0.1", 0)) as tls, socket.create_server(("127.0.0.1", 0)) as admin:
        server = start_server(
            **passing({"optimux.socket": listener, "tls": tls, "admin": admin}), **certificate.options
        )
        assert server.urls == [url_of(listener), url_of(tls, "https")]
        assert server.admin == admin.getsockname()
        assert server.metrics().value("optimux_draining") == 0
