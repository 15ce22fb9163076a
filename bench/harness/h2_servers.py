"""HTTP/2 servers that send the same finished bodies: optimux with each of its policies, and those of Debian."""

import contextlib
import dataclasses
import pathlib
import shutil
import signal
import subprocess

PORT = 8443
STOP_TIMEOUT = 10.0  # seconds
NGINX = """daemon off; worker_processes 1; pid {scratch}/nginx.pid; error_log {scratch}/nginx.log;
events {{ worker_connections 512; }}
http {{ access_log off; client_body_temp_path {scratch}/nginx-body; sendfile on; tcp_nopush on; types {{ image/jpeg jpg; }}
  server {{ listen {port} {tls} http2; root {folder}; http2_max_concurrent_streams 128; {files} }} }}
"""
H2O = """listen: {{ port: {port}{tls} }}
num-threads: 1
error-log: {scratch}/h2o.log
hosts: {{ "default": {{ paths: {{ "/": {{ file.dir: {folder} }} }} }} }}
"""


@dataclasses.dataclass
class Certificate:
    """PEM files, for servers that are to speak TLS."""

    certificate: pathlib.Path
    key: pathlib.Path


class Peer:
    """One way of serving. `paths(names)` are the request targets of the bodies called `names`."""

    def __init__(self, name, command, paths):
        self.name, self.command, self.paths = name, command, paths

    @contextlib.contextmanager
    def running(self, link, log):
        """Runs it at the link's server end; whoever connects has to try until it listens."""
        with open(log, "wb") as output:
            process = subprocess.Popen(link.at("server", self.command), stdout=output, stderr=subprocess.STDOUT)
            try:
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(STOP_TIMEOUT)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def optimux(policy, binary, host, sources, targets, certificate=None):
    """`targets` maps the name of a body to its request target."""
    command = [str(binary), "serve", "--root", str(sources), "--http2-policy", policy]
    if certificate:
        command += ["--tls-certificate", str(certificate.certificate), "--tls-key", str(certificate.key)]
        command += ["--listen", "127.0.0.1:0", "--listen-tls", f"{host}:{PORT}"]
    else:
        command += ["--listen", f"{host}:{PORT}"]
    return Peer(f"optimux {policy}", command, lambda names: [targets[name] for name in names])


def others(folder, scratch, certificate=None):
    """Those that are installed, with the folder of finished bodies as their root, and the names of those that are not."""
    scratch = pathlib.Path(scratch).resolve()
    folder = pathlib.Path(folder).resolve()
    commands = {
        "nghttpd": nghttpd(folder, certificate),
        "h2o": ["h2o", "-c", written(scratch / "h2o.conf", h2o_file(folder, scratch, certificate))],
        "nginx": ["nginx", "-c", written(scratch / "nginx.conf", nginx_file(folder, scratch, certificate))],
    }
    found = [
        Peer(name, command, lambda names: [f"/{n}" for n in names])
        for name, command in commands.items()
        if shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    ]
    return found, [name for name in commands if name not in {peer.name for peer in found}]


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return str(path)


def nghttpd(folder, certificate):
    if certificate:
        return ["nghttpd", "-d", str(folder), str(PORT), str(certificate.key), str(certificate.certificate)]
    return ["nghttpd", "--no-tls", "-d", str(folder), str(PORT)]


def h2o_file(folder, scratch, certificate):
    tls = (
        f", ssl: {{ certificate-file: {certificate.certificate}, key-file: {certificate.key} }}" if certificate else ""
    )
    return H2O.format(port=PORT, folder=folder, scratch=scratch, tls=tls)


def nginx_file(folder, scratch, certificate):
    tls, files = "", ""
    if certificate:
        tls = "ssl"
        files = f"ssl_certificate {certificate.certificate}; ssl_certificate_key {certificate.key};"
    return NGINX.format(port=PORT, folder=folder, scratch=scratch, tls=tls, files=files)
