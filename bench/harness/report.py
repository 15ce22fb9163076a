"""Puts the report together from the sections that have been saved."""

import section as sections

INTRODUCTION = """# Benchmarks

Written by `./dev bench`; `./dev bench NAME` measures one part again and leaves the others. A figure here decides no
test: it says what was wanted and what was measured. Medians come with the lowest and the highest of the rounds. Server
and load generator share the machine; the generator's own CPU time is not counted.
"""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def summary(parts):
    rows = [
        (f"[{part.name}](#{part.name})", target.what, target.wanted, target.measured, "yes" if target.met else "**no**")
        for part in parts
        for target in part.targets
    ]
    return "## Targets\n\n" + table(["benchmark", "what", "target", "measured", "met"], rows)


def machines(parts):
    """One table for each machine and commit that sections were measured on."""
    blocks = []
    seen = []
    for part in parts:
        if part.machine in seen:
            continue
        seen.append(part.machine)
        names = ", ".join(other.name for other in parts if other.machine == part.machine)
        blocks.append(f"Measured: {names}\n\n" + table(["", ""], part.machine))
    return "## Machine\n\n" + "\n\n".join(blocks)


def chapter(part):
    blocks = [f'## <a id="{part.name}"></a>{part.title}', part.method]
    if part.quick:
        blocks.append("**Measured with `--quick`: this shows that the benchmark runs, and nothing more.**")
    if part.load_average > 0.7:
        blocks.append(f"Other work was going on: load average {part.load_average:.1f} in the minute before.")
    if part.targets:
        blocks.append(table(["what", "target", "measured"], [(t.what, t.wanted, t.measured) for t in part.targets]))
    blocks += [f"![{part.title}]({file_name})" for file_name in sorted(part.plots)]
    blocks += [f"{t.caption}\n\n{table(t.header, t.rows)}" for t in part.tables]
    return "\n\n".join(blocks + part.notes)


def write(folder, order):
    """Writes `report.md` from the saved sections whose names are in `order`, in that order."""
    parts = [sections.load(folder / f"{name}.json") for name in order if (folder / f"{name}.json").exists()]
    text = "\n\n".join([INTRODUCTION.strip(), summary(parts), machines(parts), *map(chapter, parts)])
    (folder / "report.md").write_text(text + "\n", encoding="utf-8")
