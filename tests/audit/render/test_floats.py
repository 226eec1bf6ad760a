"""Numbers of pictures against numpy's, and deltas read off at a touching vertex against all vertices."""

import subprocess
import sys
from fractions import Fraction
from math import isclose, nan
from random import Random

import numpy as np
import pytest
from instances.seeds import chosen

from dpcert.audit.render.floats import read_off, spaced, spaced_by_factor
from dpcert.audit.render.layout import FAR, Scale
from dpcert.audit.render.profile import Profile


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_what_is_read_off_is_what_numpy_reads_off(seed: int) -> None:
    drawn = Random(seed)
    x = sorted(drawn.choice((0.0, 0.25, drawn.random())) for _ in range(drawn.randint(1, 12)))
    y = [drawn.random() for _ in x]
    at = [*x, -1.0, 2.0, *(drawn.random() for _ in range(9))]
    assert np.allclose(read_off(at, x, y), np.interp(at, x, y), rtol=1e-12, atol=0)
    low, high, count = drawn.random(), 1 + drawn.random(), drawn.randint(2, 90)
    assert np.allclose(spaced(low, high, count), np.linspace(low, high, count), rtol=1e-14)
    assert np.allclose(spaced_by_factor(low, high, count), np.geomspace(low, high, count), rtol=1e-12)
    assert (spaced(low, high, count)[0], spaced(low, high, count)[-1]) == (low, high)


def curve(drawn: Random) -> Profile:
    """A random concave curve, some of its segments upright, flat, or tiny."""
    sizes = [Fraction(drawn.choice((0, 1, 2, 5, drawn.randint(1, 10**6)))) for _ in range(2 * drawn.randint(1, 30))]
    pairs = [(a, b) for a, b in zip(sizes[::2], sizes[1::2], strict=True) if a or b] or [(Fraction(1), Fraction(1))]
    whole = [sum(side) + 1 for side in zip(*pairs, strict=True)]
    steps = sorted([*pairs, (Fraction(1), Fraction(1))], key=lambda p: (p[0] != 0, -p[1] / p[0] if p[0] else 0))
    corners = [(Fraction(0), Fraction(0))]
    for a, b in steps:
        corners.append((corners[-1][0] + a / whole[0], corners[-1][1] + b / whole[1]))
    return Profile(tuple(corners))


@pytest.mark.parametrize("seed", chosen(range(80)))
def test_deltas_are_those_of_all_vertices(seed: int) -> None:
    drawn = Random(seed)
    profile = curve(drawn)
    at = [1.0, *(2 ** (60 * drawn.random() ** 3) for _ in range(30)), *map(float, sorted(profile.bends())[:20])]
    for e, found in zip(at, profile.deltas(at), strict=True):
        exact = profile.delta(Fraction(e))
        assert isclose(found, max(exact, 0), rel_tol=1e-9, abs_tol=1e-12 * max(1.0, e * 1e-3)), e


def test_places_are_cut_far_away_and_what_is_no_number_stays_none() -> None:
    scale = Scale(1e-3, 1.0, 0.0, 30.0, logarithmic=True)
    assert scale.at([1e-3, 1e-2, 1.0, 0.0, -1.0]) == pytest.approx([0.0, 10.0, 30.0, -9970.0, -9970.0])
    assert str(scale.place(nan)) == "nan"
    assert Scale(0.0, 1.0, 0.0, 30.0, logarithmic=False).at([-1e30, 0.5, 1e30]) == [-FAR, 15.0, FAR]


@pytest.mark.in_turns(few=True)
@pytest.mark.real("start-up")
def test_a_page_reads_no_numpy() -> None:
    code = (
        "import sys; from dpcert import examine; from dpcert.mechanisms.two_round import TwoRound\n"
        "text = examine(TwoRound()).to_html(); assert '<svg' in text; sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
