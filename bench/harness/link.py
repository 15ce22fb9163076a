"""A slow link on this machine: two network namespaces, a pair of virtual interfaces, a token bucket at the server's end."""

import os
import shutil
import subprocess

from server import BenchError

# Of documentation (RFC 5737): browsers keep pages from private addresses.
SERVER, CLIENT = "198.51.100.1", "198.51.100.2"
MTU = 1500
QUEUE = "100ms"  # that the bucket may hold before it drops
BURST_SECONDS = 0.004  # of the rate, in the bucket: the kernel's tick


class Link:
    """Exists while used as a context; needs root. One at a time."""

    def __init__(self, megabits):
        self.megabits = megabits
        self._names = {"server": f"optimux-bench-{os.getpid()}-s", "client": f"optimux-bench-{os.getpid()}-c"}

    @staticmethod
    def why_not():
        """What is missing for such links; empty if nothing is."""
        if os.geteuid() != 0:
            return "needs root (network namespaces)"
        missing = [tool for tool in ("ip", "tc") if not shutil.which(tool)]
        return f"not installed: {', '.join(missing)} (Debian package iproute2)" if missing else ""

    def __enter__(self):
        try:
            for name in self._names.values():
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            server, client = self._names["server"], self._names["client"]
            run(
                *("ip", "-n", server, "link", "add", "name", "link0", "mtu", str(MTU), "type", "veth"),
                *("peer", "name", "link0", "mtu", str(MTU), "netns", client),
            )
            for name, address in ((server, SERVER), (client, CLIENT)):
                # An IPv6 address of its own would come a second later, and a browser would drop its connections.
                run("ip", "-n", name, "link", "set", "dev", "link0", "addrgenmode", "none")
                run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "link0")
                run("ip", "-n", name, "link", "set", "link0", "up")
            burst = max(2 * MTU, int(self.megabits * 1e6 / 8 * BURST_SECONDS))
            run(
                *("tc", "-n", server, "qdisc", "add", "dev", "link0", "root", "tbf"),
                *("rate", f"{self.megabits}mbit", "burst", str(burst), "latency", QUEUE),
            )
        except BenchError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self._names.values():
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

    def at(self, end, command):
        """`command` as it has to be given to run at the `server` or `client` end."""
        return ["ip", "netns", "exec", self._names[end], *command]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise BenchError(f"{' '.join(command)}: {result.stderr.strip()}")
