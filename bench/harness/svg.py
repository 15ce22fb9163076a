"""Plots as SVG text: axes with units, ticks, grid and legend on a light background; standard library only."""

import dataclasses
import html
import math

COLOURS = ("#1f6fb4", "#d1541f", "#2a8a4a", "#8a4fbf", "#b8860b", "#555555")
WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 76, 20, 74, 58
INK, GRID, PAPER = "#222222", "#dddddd", "#ffffff"


@dataclasses.dataclass
class Axis:
    """One axis: its title with the unit, and its scale. `logarithmic` needs positive values."""

    title: str
    logarithmic: bool = False
    low: float = None  # None: from the data; linear axes begin at 0
    high: float = None  # None: from the data
    ticks: tuple = ()  # empty: round numbers


@dataclasses.dataclass
class Line:
    """One line of points; `bars` are (low, high) of each point, or None."""

    name: str
    points: list
    bars: list = None
    marks: bool = True
    dashed: bool = False


@dataclasses.dataclass
class Mark:
    """A horizontal line across the plot, as for a target."""

    name: str
    value: float


class Scale:
    """Maps values of one axis to pixels."""

    def __init__(self, axis, values, begin, end):
        self.logarithmic = axis.logarithmic
        self.begin, self.end = begin, end
        self.given_ticks = list(axis.ticks)
        self.low = axis.low if axis.low is not None else self._lowest(values)
        self.high = axis.high if axis.high is not None else self._highest(values)
        if self.high <= self.low:
            self.high = self.low * 2 if self.low > 0 else self.low + 1

    def _lowest(self, values):
        return min(values, default=1) / 1.15 if self.logarithmic else 0.0

    def _highest(self, values):
        return max(values, default=1) * (1.15 if self.logarithmic else 1.08)

    def place(self, value):
        share = (
            (math.log(max(value, 1e-12)) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
            if self.logarithmic
            else (value - self.low) / (self.high - self.low)
        )
        return self.begin + max(0.0, min(1.0, share)) * (self.end - self.begin)

    def ticks(self):
        return self.given_ticks or (self._log_ticks() if self.logarithmic else self._linear_ticks())

    def _linear_ticks(self):
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        for factor in (1, 2, 2.5, 5, 10):
            if (self.high - self.low) / (step * factor) <= 6:
                step *= factor
                break
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, int(self.high / step + 1e-9) + 1)]

    def _log_ticks(self):
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        factors = (1, 2, 5) if self.high / self.low < 300 else (1,)
        return [f * 10.0**d for d in decades for f in factors if self.low <= f * 10.0**d <= self.high]


def number(value):
    """A tick as people write it."""
    if value == 0:
        return "0"
    if abs(value) >= 10000:
        return f"{value / 1000:g}k"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:g}"


def text(x, y, content, anchor="middle", size=12, extra=""):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{INK}"{extra}>'
        f"{html.escape(str(content))}</text>"
    )


def line(x1, y1, x2, y2, colour, width=1.0, extra=""):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{extra}/>'
    )


def rectangle(x, y, width, height, colour, extra=""):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{extra}/>'


def document(parts, title):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif" role="img" aria-label="{html.escape(title)}">'
    )
    return "\n".join(
        [
            head,
            rectangle(0, 0, WIDTH, HEIGHT, PAPER),
            text(LEFT, 24, title, "start", 15, ' font-weight="bold"'),
            *parts,
            "</svg>",
            "",
        ]
    )


def legend(names):
    """Names with their colours in one row below the title; a dashed sample for those given as (name, 'dashed')."""
    parts, x = [], float(LEFT)
    for index, (name, style) in enumerate(names):
        colour = INK if style == "target" else COLOURS[index % len(COLOURS)]
        dash = ' stroke-dasharray="6 4"' if style != "solid" else ""
        parts += [line(x, 46, x + 22, 46, colour, 2.5, dash), text(x + 28, 50, name, "start")]
        x += 46 + 6.6 * len(name)
    return parts


def frame(across, up, x_axis, y_axis):
    parts = []
    for value in up.ticks():
        y = up.place(value)
        parts += [line(LEFT, y, WIDTH - RIGHT, y, GRID), text(LEFT - 8, y + 4, number(value), "end")]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts += [
        line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK),
        line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, INK),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x_axis.title, size=13),
        text(18, middle, y_axis.title, size=13, extra=f' transform="rotate(-90 18 {middle:.1f})"'),
    ]
    if across is not None:
        parts += ticks_across(across)
    return parts


def ticks_across(across):
    parts = []
    for value in across.ticks():
        x = across.place(value)
        parts += [line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, INK), text(x, HEIGHT - BOTTOM + 20, number(value))]
    return parts


def draw_line(series, across, up, colour):
    places = [(across.place(x), up.place(y)) for x, y in series.points]
    dash = ' stroke-dasharray="6 4"' if series.dashed else ""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>']
    for (x, _), bar in zip(places, series.bars or []):
        parts.append(line(x, up.place(bar[0]), x, up.place(bar[1]), colour, 1.5))
    if series.marks:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
    return parts


def line_plot(title, x_axis, y_axis, lines, marks=()):
    """A plot of lines over two numeric axes."""
    xs = [x for series in lines for x, _ in series.points]
    ys = [y for series in lines for _, y in series.points] + [mark.value for mark in marks]
    ys += [edge for series in lines for bar in series.bars or [] for edge in bar]
    across = Scale(x_axis, xs, LEFT, WIDTH - RIGHT)
    up = Scale(y_axis, ys, HEIGHT - BOTTOM, TOP)
    parts = frame(across, up, x_axis, y_axis)
    parts += legend([(s.name, "dashed" if s.dashed else "solid") for s in lines] + [(m.name, "target") for m in marks])
    for index, series in enumerate(lines):
        parts += draw_line(series, across, up, COLOURS[index % len(COLOURS)])
    parts += [draw_mark(mark, up) for mark in marks]
    return document(parts, title)


def draw_mark(mark, up):
    y = up.place(mark.value)
    return line(LEFT, y, WIDTH - RIGHT, y, INK, 1.5, ' stroke-dasharray="6 4"')


@dataclasses.dataclass
class Bars:
    """One series of bars, a value a group; `spans` are (low, high) of each, or None."""

    name: str
    values: list
    spans: list = None


def bar_plot(title, y_axis, groups, series, marks=(), x_title=""):
    """Bars side by side for each group, the value above each."""
    values = [v for s in series for v in s.values] + [mark.value for mark in marks]
    values += [edge for s in series for span in s.spans or [] for edge in span]
    up = Scale(y_axis, values, HEIGHT - BOTTOM, TOP)
    parts = frame(None, up, Axis(x_title), y_axis)
    parts += legend([(s.name, "solid") for s in series] + [(m.name, "target") for m in marks])
    room = (WIDTH - RIGHT - LEFT) / len(groups)
    wide = min(90.0, room * 0.8 / len(series))
    for group, name in enumerate(groups):
        centre = LEFT + room * (group + 0.5)
        parts.append(text(centre, HEIGHT - BOTTOM + 20, name))
        for index, bars in enumerate(series):
            x = centre + (index - len(series) / 2) * wide
            parts += draw_bar(bars, group, up, x, wide, COLOURS[index % len(COLOURS)])
    parts += [draw_mark(mark, up) for mark in marks]
    return document(parts, title)


def draw_bar(bars, group, up, x, wide, colour):
    value = bars.values[group]
    top = up.place(value)
    parts = [rectangle(x + 2, top, wide - 4, HEIGHT - BOTTOM - top, colour, ' fill-opacity="0.85"')]
    label_y = top
    if bars.spans:
        low, high = (up.place(edge) for edge in bars.spans[group])
        parts.append(line(x + wide / 2, low, x + wide / 2, high, INK, 1.5))
        label_y = min(top, high)
    parts.append(text(x + wide / 2, label_y - 5, number(value), size=11))
    return parts
