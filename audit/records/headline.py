"""What a record says first beside its verdict: the privacy itself, as an epsilon and as the chance of a right guess."""

from fractions import Fraction
from typing import TYPE_CHECKING

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import text

if TYPE_CHECKING:
    from dpcert.audit.records.contract import PrivacyDocument


def privacy(adaptive: Bracket, delta: Fraction, scope: str) -> "PrivacyDocument":
    """The least epsilon at a delta, and the chance that an observer guesses the world right, each between bounds.

    Args:
        adaptive: The curve of adaptive adversaries.
        delta: In [0, 1].
        scope: How long it is observed, in words.
    """
    low = epsilon(adaptive.lower, delta)
    high = low if adaptive.exact else epsilon(adaptive.upper, delta)
    return {
        "scope": scope,
        "delta": text(delta),
        "epsilon": {"lower": written(low.lower), "upper": written(high.upper)},
        "guess": {"lower": text(guess(adaptive.lower)), "upper": text(guess(adaptive.upper))},
    }


def epsilon(power: PowerFunction, delta: Fraction) -> Enclosure:
    """The least epsilon at delta; infinite where there is none."""
    return power.epsilon_for(delta)


def guess(power: PowerFunction) -> Fraction:
    """(1 + TV) / 2, the chance of a right guess where both worlds are as likely."""
    return (1 + power.total_variation) / 2


def written(end: Fraction | None) -> str:
    """An end of an interval; `infinite` where it is none."""
    return "infinite" if end is None else text(end)
