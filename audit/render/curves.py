"""The curves of a record as power functions: what is surely reached, and what is surely not exceeded."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.frozen import frozen
from dpcert.audit.render.profile import Profile


@frozen
class Between:
    """A number between two rationals; an end that is None is infinite."""

    low: Fraction | None
    high: Fraction | None


@frozen
class CurveBracket:
    """A power function between two others, both of them those of a record.

    Args:
        lower: Lies on or below the truth.
        upper: Lies on or above it.
    """

    lower: PowerFunction
    upper: PowerFunction

    @classmethod
    def of(cls, curve: Mapping[str, Any]) -> "CurveBracket":
        """What a record says of one side; of a curve too long to be listed only the upper bound is known in full."""
        upper = _power(curve)
        if "lower" in curve:
            return cls(_power(curve["lower"]), upper)
        return cls(upper if curve["complete"] else PowerFunction.identity(), upper)

    def detected(self, false_positives: Fraction) -> Between:
        """The most true positives of a test with this rate of false positives, whichever world it is an alarm for."""
        return Between(*(max(f(false_positives), f.reversed()(false_positives)) for f in (self.lower, self.upper)))


def posterior(prior: Fraction, ratio: Fraction | None) -> Fraction:
    """The probability of a world after evidence that is `ratio` times as likely in it; 1 where the ratio is infinite.

    >>> posterior(Fraction(1, 100), Fraction(99))
    Fraction(1, 2)
    """
    return Fraction(1) if ratio is None else prior * ratio / (prior * ratio + 1 - prior)


def _power(curve: Mapping[str, Any]) -> PowerFunction:
    return PowerFunction.from_vertices(Profile.of(curve).vertices)
