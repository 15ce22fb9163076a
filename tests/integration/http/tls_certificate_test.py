"""TLS: certificates that change or are wrong, and the options that name them."""

import os
import signal
import ssl

import pytest

from support.client import Connection
from support.server import run_optimux
from support.tls import make_certificate
from support.waiting import eventually

PING = "/optimux/ping"


@pytest.fixture
def own_certificate(tmp_path):
    """One that the test may change."""
    return make_certificate(tmp_path)


@pytest.mark.parametrize("is_signalled", [True, False])
def test_a_new_certificate_is_for_new_connections(start_server, own_certificate, tmp_path, is_signalled):
    server = start_server(**own_certificate.options)
    old = own_certificate.trust()
    first = Connection(server.tls_address, tls=old)
    before = own_certificate.der()
    assert first.socket.getpeercert(binary_form=True) == before
    own_certificate.replace_by(make_certificate(tmp_path, "new"))
    if is_signalled:
        server.signal(signal.SIGHUP)
    eventually(lambda: certificate_of(server) == own_certificate.der(), "the new certificate is in use")
    assert first.get(PING).status == 200
    assert server.read_log().count("event=certificate names=localhost ends=") == 2
    first.close()


def test_links_as_certbot_turns_them(start_server, tmp_path):
    for name in ("archive", "live"):
        (tmp_path / name).mkdir()
    pairs = [make_certificate(tmp_path / "archive", f"{number}") for number in (1, 2)]
    live = make_links(tmp_path / "live", pairs[0])
    server = start_server(listen_tls="127.0.0.1:0", tls_certificate=live[0], tls_key=live[1])
    assert certificate_of(server) == pairs[0].der()
    for link in live:
        link.unlink()
    make_links(tmp_path / "live", pairs[1])
    eventually(lambda: certificate_of(server) == pairs[1].der(), "the new certificate is in use")


def test_a_bad_certificate_changes_nothing(start_server, own_certificate, tmp_path):
    server = start_server(**own_certificate.options)
    before = own_certificate.der()
    own_certificate.path.write_text("no PEM")
    eventually(lambda: "certificate not reloaded" in server.read_log(), "the log tells")
    assert "holds no certificate in PEM form" in server.read_log()
    server.signal(signal.SIGHUP)
    eventually(lambda: "configuration not reloaded" in server.read_log(), "the log tells")
    assert certificate_of(server) == before
    own_certificate.replace_by(make_certificate(tmp_path, "new"))
    eventually(lambda: certificate_of(server) == own_certificate.der(), "the good one is in use")


def test_wrong_files_end_the_start_with_the_option_named(own_certificate, tmp_path):
    other = make_certificate(tmp_path, "other")
    (tmp_path / "text").write_text("no PEM")
    cases = [
        (tmp_path / "missing", own_certificate.key, "tls_certificate: cannot open the file"),
        (tmp_path / "text", own_certificate.key, "tls_certificate: '{0}' holds no certificate in PEM form"),
        (own_certificate.path, tmp_path / "missing", "tls_key: cannot open the file"),
        (own_certificate.path, own_certificate.path, "tls_key: '{1}' holds no private key in PEM form"),
        (own_certificate.path, other.key, "tls_key: '{1}' is not the key of the certificate in '{0}'"),
    ]
    for path, key, said in cases:
        files = [f"--tls-certificate={path}", f"--tls-key={key}"]
        done = run_optimux("serve", "--listen=0", "--admin=127.0.0.1:0", "--listen-tls=0", *files)
        assert done.returncode == 3, done.stderr
        assert said.format(path, key) in done.stderr.decode()
        assert done.stdout == b""
        checked = run_optimux("config", "--check", "--listen-tls=0", *files)
        assert (checked.returncode, checked.stderr) == (3, done.stderr)


def test_options_that_need_each_other(own_certificate):
    for flags, said in [
        (["--listen-tls=8443"], "listen_tls: needs tls_certificate"),
        ([f"--tls-key={own_certificate.key}"], "tls_key: needs tls_certificate"),
        (["--tls-min-version=1.1"], "tls_min_version: '1.1' is not allowed: expected 1.2 or 1.3"),
        (["--listen-tls=nowhere", f"--tls-certificate={own_certificate.path}"], "listen_tls: 'nowhere' is not allowed"),
    ]:
        done = run_optimux("config", "--check", *flags)
        assert done.returncode == 3
        assert said in done.stderr.decode()


def test_a_server_of_tls_alone(start_server, own_certificate, tmp_path):
    config = tmp_path / "tls.toml"
    config.write_text("listen = []\n")
    server = start_server(**own_certificate.options, listen=None, config=config)
    assert [url.split(":")[0] for url in server.urls] == ["https"]
    with Connection(server.tls_address, tls=own_certificate.trust()) as connection:
        assert connection.get(PING).status == 200
    assert server.terminate() == 0


def certificate_of(server) -> bytes:
    """The one that a new connection gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with Connection(server.tls_address, tls=context) as connection:
        return connection.socket.getpeercert(binary_form=True)


def make_links(folder, certificate) -> list:
    links = [folder / "fullchain.pem", folder / "privkey.pem"]
    links[0].symlink_to(os.path.relpath(certificate.path, folder))
    links[1].symlink_to(os.path.relpath(certificate.key, folder))
    return links
