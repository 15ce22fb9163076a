"""Reads the Prometheus text format as strictly as `promtool check metrics` does."""

import dataclasses
import math
import re

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: (-?\d+))?")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "summary": ("", "_sum", "_count")}


@dataclasses.dataclass
class Family:
    name: str
    kind: str = "untyped"
    help: str = ""
    samples: dict = dataclasses.field(default_factory=dict)  # (name, frozenset of labels) -> value


class Metrics:
    def __init__(self, families: dict[str, Family]):
        self.families = families

    def value(self, name: str, **labels: str) -> float:
        """The sum of the samples of a name that carry these labels; fails when there is none."""
        found = [
            value
            for family in self.families.values()
            for (sample, its_labels), value in family.samples.items()
            if sample == name and labels.items() <= dict(its_labels).items()
        ]
        assert found, f"no sample {name} {labels}"
        return sum(found)


def parse(text: str) -> Metrics:
    """Parses a page; an AssertionError names the first line that breaks the format."""
    assert text.endswith("\n"), "the last line does not end"
    families: dict[str, Family] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            _read_comment(line, families)
        elif line:
            _read_sample(line, families)
    return Metrics(families)


def _read_comment(line: str, families: dict[str, Family]):
    word, _, rest = line.removeprefix("# ").partition(" ")
    name, _, text = rest.partition(" ")
    if word == "HELP":
        family = families.setdefault(name, Family(name))
        assert not family.help, f"second HELP: {line}"
        family.help = text
    elif word == "TYPE":
        assert text in ("counter", "gauge", "histogram", "summary", "untyped"), line
        family = families.setdefault(name, Family(name))
        assert family.kind == "untyped" and not family.samples, f"TYPE must be alone and first: {line}"
        family.kind = text


def _read_sample(line: str, families: dict[str, Family]):
    match = _SAMPLE.fullmatch(line)
    assert match, f"not a sample: {line}"
    name, label_text, value, _ = match.groups()
    labels = _LABEL.findall(label_text or "")
    assert _LABEL.sub("", label_text or "") == "", f"labels: {line}"
    assert len({key for key, _ in labels}) == len(labels), f"a label twice: {line}"
    key = (name, frozenset(labels))
    family = _family_of(name, families)
    assert key not in family.samples, f"a sample twice: {line}"
    family.samples[key] = float(value)


def _family_of(name: str, families: dict[str, Family]) -> Family:
    if name in families:
        return families[name]
    for family in families.values():
        if name in (family.name + suffix for suffix in _SUFFIXES.get(family.kind, ())):
            return family
    return families.setdefault(name, Family(name))


def complaints(metrics: Metrics) -> list[str]:
    """What the conventions of metric names forbid, and what a histogram must keep."""
    found = []
    for family in metrics.families.values():
        found += [f"{family.name}: {text}" for text in _complaints_of(family)]
    return found


def _complaints_of(family: Family) -> list[str]:
    found = []
    if not family.help:
        found.append("no HELP")
    if family.kind == "untyped":
        found.append("no TYPE")
    if (family.kind == "counter") != family.name.endswith("_total"):
        found.append(f"a {family.kind} named like that")
    if re.search("milliseconds|_ms|minutes|kilobytes|_kb|_mb|percent", family.name):
        found.append("not in base units")
    if not family.samples:
        found.append("no sample")
    if family.kind != "summary" and any("quantile" in dict(labels) for _, labels in family.samples):
        found.append("quantile is a label of summaries")
    if any(value < 0 or math.isnan(value) for (name, _), value in family.samples.items() if family.kind == "counter"):
        found.append("a counter that is no count")
    return found + (_histogram_complaints(family) if family.kind == "histogram" else [])


def _histogram_complaints(family: Family) -> list[str]:
    found = []
    series: dict[frozenset, list[tuple[float, float]]] = {}
    for (name, labels), value in family.samples.items():
        if name.endswith("_bucket"):
            bound = float(dict(labels)["le"])
            series.setdefault(frozenset(label for label in labels if label[0] != "le"), []).append((bound, value))
    for labels, buckets in series.items():
        counts = [count for _, count in sorted(buckets)]
        if counts != sorted(counts):
            found.append(f"buckets that fall {dict(labels)}")
        if max(buckets)[0] != math.inf:
            found.append(f"no +Inf bucket {dict(labels)}")
        elif counts[-1] != family.samples.get((family.name + "_count", labels)):
            found.append(f"+Inf bucket is not the count {dict(labels)}")
    return found
