"""One benchmark's part of the report, kept as JSON so that the report can be put together from several runs."""

import dataclasses
import json


@dataclasses.dataclass
class Target:
    """What was asked for, and what came out."""

    what: str
    wanted: str
    measured: str
    met: bool


@dataclasses.dataclass
class Table:
    caption: str
    header: list
    rows: list  # of lists of text, as long as the header


@dataclasses.dataclass
class Section:
    name: str  # of the benchmark and of its files
    title: str
    method: str  # how it was measured: one paragraph of Markdown
    targets: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)  # paragraphs of Markdown
    plots: dict = dataclasses.field(default_factory=dict)  # file name -> SVG text; not kept in the JSON
    machine: list = dataclasses.field(default_factory=list)
    quick: bool = False
    load_average: float = 0.0  # of the minute before the benchmark began

    def save(self, folder):
        """Writes the plots and the JSON."""
        for file_name, svg in self.plots.items():
            (folder / file_name).write_text(svg, encoding="utf-8")
        content = dataclasses.asdict(self)
        content["plots"] = sorted(self.plots)
        (folder / f"{self.name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load(path):
    """A saved section; its plots are names of files without their text."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content["targets"] = [Target(**target) for target in content["targets"]]
    content["tables"] = [Table(**table) for table in content["tables"]]
    content["plots"] = dict.fromkeys(content["plots"], "")
    return Section(**content)
