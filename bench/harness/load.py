"""Runs the load generator and reads what it saw."""

import csv
import dataclasses
import json
import pathlib
import subprocess

from server import BenchError
from spread import percentile

COUNTED = ("target", "due_us", "sent_us", "head_us", "first_us", "last_us", "status", "bytes", "retry_after")


@dataclasses.dataclass
class Sample:
    """One request; times in microseconds since the start of the run."""

    target: int
    due_us: int
    sent_us: int
    head_us: int
    first_us: int
    last_us: int
    status: int
    bytes: int
    retry_after: int
    outcome: str

    @property
    def latency_ms(self):
        """From when the request was due to its last byte."""
        return (self.last_us - self.due_us) / 1000

    @property
    def first_byte_ms(self):
        """From when the request was due to the first byte of its body."""
        return (self.first_us - self.due_us) / 1000


class Run:
    """All samples of one run of the generator."""

    def __init__(self, samples, summary):
        self.samples = samples
        self.wall = summary["wall_seconds"]
        self.own_cpu = summary["own_cpu_seconds"]

    def of_status(self, *statuses):
        return [s for s in self.samples if s.outcome == "complete" and s.status in statuses]

    def incomplete(self):
        return [s for s in self.samples if s.outcome != "complete"]

    def require(self, *statuses):
        """Every request was answered whole, with one of `statuses`, and every 200 had a body."""
        for sample in self.samples:
            if (
                sample.outcome != "complete"
                or sample.status not in statuses
                or (sample.status == 200 and not sample.bytes)
            ):
                raise BenchError(
                    f"request {sample.target}: {sample.outcome}, status {sample.status}, {sample.bytes} bytes; "
                    f"expected a whole answer of status {', '.join(map(str, statuses))}"
                )
        return self

    def latency(self, share):
        """A percentile of the latency in ms; `share` from 0 to 1."""
        return percentile([s.latency_ms for s in self.samples], share)

    def throughput(self):
        """Whole answers a second."""
        return (len(self.samples) - len(self.incomplete())) / self.wall


class Load:
    """A run that is under way."""

    def __init__(self, binary, folder, name, port, targets, **options):
        folder = pathlib.Path(folder)
        self._output = folder / f"{name}.csv"
        target_file = folder / f"{name}.targets"
        target_file.write_text("\n".join(targets) + "\n", encoding="utf-8")
        command = [str(binary), "--port", str(port), "--targets", str(target_file), "--output", str(self._output)]
        for key, value in options.items():
            command += [f"--{key}", str(value)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def result(self):
        """Waits for the end and returns the `Run`."""
        output, _ = self._process.communicate()
        if self._process.returncode != 0:
            raise BenchError(f"the load generator ended with {self._process.returncode}")
        with open(self._output, encoding="utf-8", newline="") as file:
            samples = [
                Sample(**{k: int(row[k]) for k in COUNTED}, outcome=row["outcome"]) for row in csv.DictReader(file)
            ]
        return Run(samples, json.loads(output))
