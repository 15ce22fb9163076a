"""Every test here drives the real binary from outside; after each one the server must be as good as before."""

import itertools

import pytest

from support import media
from support.origin import Canary, Origin
from support.server import Optimux


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """The store of all servers."""
    return media.make_root(tmp_path_factory.mktemp("store") / "root")


@pytest.fixture(scope="module")
def origin():
    with Origin("127.0.0.2") as origin:
        yield origin


@pytest.fixture(scope="module")
def canary():
    with Canary() as canary:
        yield canary


@pytest.fixture(scope="module")
def server_options() -> dict:
    """What a module's server is started with; modules override it."""
    return {}


@pytest.fixture(scope="module")
def server_of_module(root, origin, server_options, tmp_path_factory):
    log = tmp_path_factory.mktemp("server") / "log"
    options = {"allow_source": f"{origin.host}/32"} | server_options
    with Optimux(root, log, **options) as server:
        yield server


@pytest.fixture
def server(server_of_module):
    """The module's server, unharmed before and after the test."""
    yield server_of_module
    server_of_module.assert_unharmed()


@pytest.fixture
def start_server(root, tmp_path):
    """Starts servers with options of their own; those still alive after the test must be unharmed and end cleanly."""
    servers, numbers = [], itertools.count()

    def start(**options) -> Optimux:
        servers.append(Optimux(options.pop("root", root), tmp_path / f"log-{next(numbers)}", **options))
        return servers[-1]

    yield start
    alive = [server for server in servers if server.is_alive()]
    try:
        for server in alive:
            server.assert_unharmed()
    finally:
        codes = [server.terminate() for server in alive]
    assert codes == [0] * len(codes), [server.read_log()[-2000:] for server in alive]
