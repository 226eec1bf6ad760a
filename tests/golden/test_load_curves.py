"""Row 42: power functions of the truncated geometric load (Z against Z - theta), both theta."""

from fractions import Fraction

import pytest

from dpcert import Pmf, PowerFunction, from_weights


def load(alpha: int, level: int) -> Pmf[int]:
    """Z on [U..2U] with weights alpha^-|z - 3U/2|, the tails' mass on the end points.

    Source: paper.tex, def:truncated_geom.
    """
    half = level // 2
    weights = {z: alpha ** (half - abs(z)) * (alpha - 1) for z in range(-half + 1, half)}
    weights[half] = weights[-half] = alpha
    return from_weights(weights).map(lambda z: z + level + half)


@pytest.mark.parametrize("theta", [-1, 1])
@pytest.mark.parametrize(
    ("alpha", "level", "inner"),
    [
        (2, 2, [("0", "1/3"), ("2/3", "1")]),
        (2, 4, [("0", "1/6"), ("1/6", "1/2"), ("1/2", "5/6"), ("5/6", "1")]),
        (3, 2, [("0", "1/4"), ("1/4", "3/4"), ("3/4", "1")]),
    ],
)
def test_load_curve(alpha: int, level: int, inner: list[tuple[str, str]], theta: int) -> None:
    law = load(alpha, level)
    curve = PowerFunction.from_laws(law, law.map(lambda z: z - theta))
    corners = [(Fraction(x), Fraction(y)) for x, y in inner]
    assert list(curve.vertices) == [(0, 0), *corners, (1, 1)]
    assert curve.reversed() == curve
