"""A real object store that checks signatures, and a client of it that signs by itself."""

import contextlib
import dataclasses
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import shutil
import subprocess
import urllib.parse

import pytest

from support.waiting import PATIENCE

HERE = pathlib.Path(__file__).resolve().parent
# Where `./dev test` has npm put the store.
MODULES = pathlib.Path(os.environ.get("OPTIMUX_OBJECT_STORE", HERE.parents[2] / "build" / "object-store")) / "node_modules"
# The store's own keys.
ACCESS_KEY = SECRET_KEY = "S3RVER"
REGION = "us-east-1"


class ObjectStore:
    """The store, run for as long as the context lasts. Its buckets are there and empty."""

    def __init__(self, folder: pathlib.Path, *buckets: str):
        node = shutil.which("node")
        if node is None or not (MODULES / "@20minutes" / "s3rver").is_dir():
            pytest.skip("no object store to test with: ./dev test installs it")
        self._process = subprocess.Popen(
            [node, HERE / "object_store_server.js", folder, *buckets],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "NODE_PATH": str(MODULES)},
        )
        self.port = int(self._process.stdout.readline())
        self.host = f"127.0.0.1:{self.port}"
        self.endpoint = f"http://{self.host}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(PATIENCE)

    def environment(self, **variables: str) -> dict:
        """The variables with which a server finds the store and its keys, and looks nowhere else."""
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_EC2_METADATA_DISABLED": "true",
            **variables,
        }

    def put(self, bucket: str, key: str | bytes, body: bytes, **headers: str):
        response = self.request("PUT", bucket, key, body, headers)
        assert response.status == 200, (key, response.status, response.body)

    def get(self, bucket: str, key: str | bytes) -> "StoredObject":
        return self.request("GET", bucket, key)

    def keys(self, bucket: str) -> list[str]:
        """The keys of a bucket, the first thousand of them."""
        body = self.request("GET", bucket, "").body.decode()
        return [urllib.parse.unquote(part.partition("</Key>")[0]) for part in body.split("<Key>")[1:]]

    def request(self, method: str, bucket: str, key: str | bytes, body: bytes = b"", headers: dict | None = None):
        path = f"/{bucket}" + ("/" + urllib.parse.quote(key, safe="/-._~") if key else "")
        fields = sign(method, self.host, path, body, {name.replace("_", "-"): value for name, value in (headers or {}).items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return StoredObject(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@dataclasses.dataclass
class StoredObject:
    status: int
    headers: dict
    body: bytes


def sign(method: str, host: str, path: str, body: bytes, headers: dict) -> dict:
    """The headers of a signed request (AWS Signature Version 4), written from its description and not from ours."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    fields = {name.lower(): value for name, value in headers.items()}
    fields |= {"host": host, "x-amz-date": now, "x-amz-content-sha256": digest}
    names = ";".join(sorted(fields))
    lines = "".join(f"{name}:{fields[name]}\n" for name in sorted(fields))
    scope = f"{now[:8]}/{REGION}/s3/aws4_request"
    request = hashlib.sha256("\n".join([method, path, "", lines, names, digest]).encode()).hexdigest()
    key = f"AWS4{SECRET_KEY}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{request}".encode(), "sha256").hex()
    fields["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return fields
