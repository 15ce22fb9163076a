"""Runs the binary's commands to their end."""

import os
import subprocess

from support.server import BINARY


def run(*arguments, environment: dict | None = None, **options) -> subprocess.CompletedProcess:
    """Runs a command without the caller's own variables but with those of `environment`; output as bytes."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("OPTIMUX_")}
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([BINARY, *map(str, arguments)], env=clean | (environment or {}), timeout=250, **options)
