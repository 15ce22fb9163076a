"""What the figures were taken on. Nothing that names the host, the user or a path."""

import os
import platform
import subprocess


def first_line_of(*command, cwd=None):
    """The first line that a command prints, or `unknown`."""
    try:
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return (result.stdout.splitlines() or ["unknown"])[0].strip()


def field_of(path, name, separator):
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(separator)
            if key.strip() == name:
                return value.strip().strip('"')
    return "unknown"


def describe(root, compiler):
    """Pairs of (what, value) for the report; `compiler` is the path of the one that built the server."""
    memory = field_of("/proc/meminfo", "MemTotal", ":").split()[0]
    commit = first_line_of("git", "rev-parse", "--short=12", "HEAD", cwd=root)
    changed = first_line_of(
        "git", "status", "--porcelain", "--untracked-files=no", "--", "src", "apps", "pool", cwd=root
    )
    return [
        ("CPU", field_of("/proc/cpuinfo", "model name", ":")),
        ("CPUs usable", str(len(os.sched_getaffinity(0)))),
        ("Memory", f"{int(memory) / 1024 / 1024:.1f} GiB"),
        ("Kernel", platform.release().split("-")[0]),
        ("Distribution", field_of("/etc/os-release", "PRETTY_NAME", "=")),
        ("Compiler", first_line_of(compiler, "--version")),
        ("libvips", first_line_of("pkg-config", "--modversion", "vips")),
        ("Commit", commit + ("" if changed in ("", "unknown") else ", with uncommitted changes")),
    ]


def busy_cpus():
    """How many processes waited for or held a CPU during the last minute: what else was going on."""
    return os.getloadavg()[0]
