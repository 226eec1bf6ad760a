"""A picture as an <svg> element for HTML: colours as variables, values on hover, names below, and nothing else."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import count, groupby
from math import isnan

from dpcert.audit.render.drawing import DrawnShape, Line, Part, Point, Words, parts
from dpcert.audit.render.layout import Layout, laid_out
from dpcert.audit.render.picture import ADAPTIVE, FAINT, FIXED, INK, ROUNDS, Picture
from dpcert.audit.render.ticks import FONT

VARIABLES = {INK: "--ink", FAINT: "--faint", ADAPTIVE: "--adaptive", FIXED: "--fixed"} | {
    colour: f"--round-{i}" for i, colour in enumerate(ROUNDS, 1)
}
"""Colours that a style sheet can change through these variables; blue and vermilion differ for every kind of sight."""
POINTED = "hover-"
"""What the id of a shape has after the picture's name that says its value on hover."""
NO_CHARACTER = "\ufffd"
"""What stands for a character that XML does not allow."""


def drawn(picture: Picture, name: str, title: str, description: str) -> str:
    """The picture as an <svg> element.

    Args:
        picture: What is drawn.
        name: What ids in it begin with.
        title: Its name.
        description: What it shows, for whoever does not see it.
    """
    layout = laid_out(picture)
    numbers = count()
    lines = [
        f'<svg viewBox="0 0 {_n(layout.width)} {_n(layout.height)}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{_text(title)}</title><desc id="{name}-desc">{_text(description)}</desc>',
        f'<defs><clipPath id="{name}-axes">{_box(layout)}</clipPath></defs>',
    ]
    for clipped, group in groupby(parts(picture, layout), lambda part: getattr(part, "clipped", False)):
        written = [_written(part, name, numbers) for part in group]
        begin, end = ([f'<g clip-path="url(#{name}-axes)">'], ["</g>"]) if clipped else ([], [])
        lines += [*begin, *filter(None, written), *end]
    return "\n".join([*lines, "</svg>"])


def _written(part: Part, name: str, numbers: Iterator[int]) -> str:
    if isinstance(part, Words):
        return _words(part)
    return _line(part) if isinstance(part, Line) else _shape(part, name, numbers)


def _line(line: Line) -> str:
    broken = f"stroke-dasharray: {','.join(_n(part * line.width) for part in line.dash)}; " if line.dash else ""
    seen = f"; stroke-opacity: {_n(line.opacity)}" if line.opacity < 1 else ""
    cap = "" if line.dash or line.blunt else "; stroke-linecap: square"
    style = f"fill: none; {broken}stroke: {_colour(line.colour)}; stroke-width: {_n(line.width)}{seen}{cap}"
    steps = _steps(line.points)
    return f'<path d="{steps}" style="{style}; stroke-linejoin: round"></path>' if steps else ""


def _steps(points: Sequence[Point]) -> str:
    steps, pen_down = [], False
    for x, y in points:
        if isnan(x) or isnan(y):
            pen_down = False
            continue
        steps.append(f"{'L' if pen_down else 'M'} {_n(x)} {_n(y)}")
        pen_down = True
    return " ".join(steps)


def _shape(shape: DrawnShape, name: str, numbers: Iterator[int]) -> str:
    colour = _colour(shape.colour) if shape.colour else "transparent"
    edge = f"; stroke: {colour}; stroke-width: {_n(shape.edge)}" if shape.edge else ""
    seen = f"; fill-opacity: {_n(shape.opacity)}" if shape.opacity < 1 else ""
    said = f"<title>{_text(shape.value)}</title>" if shape.value else ""
    style = f'style="fill: {colour}{seen}{edge}"'
    if shape.radius:
        x, y = shape.corners[0]
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(shape.radius)}" {style}>{said}</circle>'
    own = f'id="{name}-{POINTED}{next(numbers)}" ' if shape.value else ""
    corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.corners)
    return f'<polygon {own}points="{corners}" {style}>{said}</polygon>'


def _words(words: Words) -> str:
    style = f"font-size: {_n(FONT)}px; font-family: 'DejaVu Sans'; text-anchor: {words.anchor}; fill: {_colour(INK)}"
    turned = f' transform="rotate(-90 {_n(words.x)} {_n(words.y)})"' if words.turned else ""
    return f'<text style="{style}" x="{_n(words.x)}" y="{_n(words.y)}"{turned}>{_text(words.text)}</text>'


def _n(number: float) -> str:
    """A coordinate, to a thousandth of a point."""
    said = f"{number:.3f}".rstrip("0").rstrip(".")
    return "0" if said == "-0" else said


def _text(words: str) -> str:
    """Words between tags; what XML does not allow stands as a box."""
    allowed = (c if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff") else NO_CHARACTER for c in words)
    return escape("".join(allowed), quote=False)


def _colour(colour: str) -> str:
    return f"var({VARIABLES[colour]}, {colour})" if colour in VARIABLES else colour


def _box(layout: Layout) -> str:
    across, up = layout.across, layout.up
    sizes = across.first, up.last, across.last - across.first, up.first - up.last
    return '<rect x="{}" y="{}" width="{}" height="{}"></rect>'.format(*map(_n, sizes))
