"""A table of numbers as shaded cells, drawn without a library: a text for HTML, with its words for all readers."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from dpcert.audit.render.cells import plain

SHADES = 10
"""Levels of shading, of which the deepest is the largest number; 0 is no shade at all."""
_SIDE, _LEFT, _TOP, _BELOW = 240, 22, 6, 22
"""Points: the side of the square of cells, and the room for words beside, above and below it."""
_FILL, _INK = "var(--adaptive, #0072b2)", "var(--ink, #1b2430)"


def shades_svg(shades: Mapping[str, Any], name: str) -> str:
    """The cells as an SVG element; neighbours of one level are one rectangle.

    Args:
        shades: {"x": words, "y": words, "levels": rows of levels from 0 to SHADES, all equally long}, the first row on
            top.
        name: What ids in it begin with.
    """
    levels, across, down = shades["levels"], plain(shades["x"]), plain(shades["y"])
    across_said, down_said = escape(across, quote=False), escape(down, quote=False)
    title = escape(f"{down} against {across}", quote=False)
    said = escape(f"{len(levels)} by {len(levels[0])} cells; the darker, the larger the entries.", quote=False)
    middle_x, middle_y = _LEFT + _SIDE / 2, _TOP + _SIDE / 2
    return (
        f'<svg viewBox="0 0 {_LEFT + _SIDE + _TOP} {_TOP + _SIDE + _BELOW}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc" font-size="9" text-anchor="middle">'
        f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{said}</desc>'
        f'<g fill="{_FILL}" shape-rendering="crispEdges">{"".join(_cells(levels))}</g>'
        f'<rect x="{_LEFT}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="{_INK}"/>'
        f'<text x="{middle_x:g}" y="{_TOP + _SIDE + 14}" fill="{_INK}">{across_said}</text>'
        f'<text x="12" y="{middle_y:g}" transform="rotate(-90 12 {middle_y:g})" fill="{_INK}">{down_said}</text>'
        "</svg>"
    )


def _cells(levels: Sequence[Sequence[int]]) -> Iterator[str]:
    height, width = _SIDE / len(levels), _SIDE / len(levels[0])
    for at, row in enumerate(levels):
        start = 0
        for level, run in groupby(row):
            length = len(list(run))
            if level:
                yield (
                    f'<rect x="{_LEFT + start * width:.2f}" y="{_TOP + at * height:.2f}" width="{length * width:.2f}" '
                    f'height="{height:.2f}" fill-opacity="{level / SHADES:g}"/>'
                )
            start += length
