"""What the exact curve means for one person: advantage, rare alarms, posteriors, and what gives an input away."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.render.cells import Cell, Table, bracket, ends_of
from dpcert.audit.render.curves import Between, CurveBracket, posterior
from dpcert.audit.render.words import SIDES

RATES = (Fraction(1, 100), Fraction(1, 1000))
"""Rates of false positives."""
PRIORS = (Fraction(1, 2), Fraction(1, 100))
"""What an observer believes beforehand of the world in which the input was changed."""
NOTE = (
    "A test raises an alarm for one world; false positives are its alarms in the other. The posterior follows from the "
    "prior and that test's alarm; no test that raises as many false alarms does better. Bounds are rounded outward."
)
CERTAIN = "chance of a release that is impossible in the other world"


def risk(document: Mapping[str, Any]) -> Table:
    """Risk in words and numbers, adaptive beside fixed stream."""
    curves = [CurveBracket.of(document[side]) for side in SIDES]
    true_positives = [[curve.detected(rate) for curve in curves] for rate in RATES]
    rows = [_row("advantage over blind guessing", [_total_variation(document[side]) for side in SIDES])]
    for rate, probabilities in zip(RATES, true_positives, strict=True):
        rows.append(_row(f"true positives at {_percent(rate)} false positives", probabilities))
    for prior in PRIORS:
        probabilities = [_after_alarm(prior, one, RATES[0]) for one in true_positives[0]]
        rows.append(
            _row(f"posterior after such an alarm at {_percent(RATES[0])}, prior {_percent(prior)}", probabilities)
        )
    for prior in PRIORS:
        most = [_at_most(prior, document[side]) for side in SIDES]
        rows.append(_row(f"posterior at most, whatever is seen, prior {_percent(prior)}", most))
    return Table("Risk", ("", "adaptive", "fixed stream"), tuple(rows), NOTE)


def disclosure(document: Mapping[str, Any]) -> Table:
    """delta at infinity, apart from the rest: it is no matter of degree."""
    cells = [bracket(*ends_of(document[side], "delta_at_infinity")) for side in SIDES]
    return Table("Certain disclosure", ("", "adaptive", "fixed stream"), ((Cell(CERTAIN), *cells),))


def _total_variation(curve: Mapping[str, Any]) -> Between:
    return Between(*(parse(str(end), "total_variation") for end in ends_of(curve, "total_variation")))


def _after_alarm(prior: Fraction, detected: Between, rate: Fraction) -> Between:
    return Between(*(None if end is None else posterior(prior, end / rate) for end in (detected.low, detected.high)))


def _at_most(prior: Fraction, curve: Mapping[str, Any]) -> Between:
    ratios = (None if end is None else parse(str(end), "largest_ratio") for end in ends_of(curve, "largest_ratio"))
    return Between(*(posterior(prior, ratio) for ratio in ratios))


def _row(name: str, values: list[Between]) -> tuple[Cell, ...]:
    return Cell(name), *(bracket(*(None if end is None else text(end) for end in (v.low, v.high))) for v in values)


def _percent(rate: Fraction) -> str:
    """
    >>> _percent(Fraction(1, 1000))
    '0.1 %'
    """
    return f"{float(100 * rate):g} %"
