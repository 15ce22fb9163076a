"""Certificates for test servers, and clients that trust them."""

import dataclasses
import pathlib
import ssl
import subprocess

_COMMAND = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost"
_NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


@dataclasses.dataclass
class Certificate:
    """A self-signed certificate for localhost and its key."""

    path: pathlib.Path
    key: pathlib.Path

    @property
    def options(self) -> dict:
        """For a server that uses it on a port of its own."""
        return {"listen_tls": "127.0.0.1:0", "tls_certificate": self.path, "tls_key": self.key}

    def trust(self, version: str | None = None, protocols: list[str] | None = None) -> ssl.SSLContext:
        """A client that trusts it and nobody else, speaks only this version, and offers these protocols."""
        context = ssl.create_default_context(cafile=self.path)
        context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF  # An end without notice is not one.
        if version is not None:
            wanted = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[version]
            context.minimum_version = context.maximum_version = wanted
        if protocols is not None:
            context.set_alpn_protocols(protocols)
        return context

    def replace_by(self, other: "Certificate"):
        """As a renewal does it: the new files are moved over the old ones, one after the other."""
        other.key.rename(self.key)
        other.path.rename(self.path)

    def der(self) -> bytes:
        return ssl.PEM_cert_to_DER_cert(self.path.read_text())


def make_certificate(folder: pathlib.Path, name: str = "server") -> Certificate:
    certificate = Certificate(folder / f"{name}.pem", folder / f"{name}.key")
    arguments = [*_COMMAND.split(), "-days", "1", "-addext", _NAMES]
    subprocess.run([*arguments, "-keyout", certificate.key, "-out", certificate.path], check=True, capture_output=True)
    return certificate
