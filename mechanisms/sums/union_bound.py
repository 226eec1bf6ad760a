"""What each round may fail with: shares of beta that add up to at most beta, over all rounds or up to a horizon."""

from dataclasses import dataclass
from fractions import Fraction

from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected


@dataclass(frozen=True)
class UnionBound:
    """beta_t = beta / (t (t + 1)) where rounds go on for ever, beta / T with a public horizon T.

    Args:
        beta: The probability, above 0 and below 1, that any round fails.
        horizon: T, in rounds; None for all rounds.
    Source: paper.tex, thm:dp_unbounded_prefix_sum (without a horizon); claims 77.

    >>> UnionBound(Fraction(1, 10)).share(2), UnionBound(Fraction(1, 10), 3).share(2)
    (Fraction(1, 60), Fraction(1, 30))
    """

    beta: Fraction
    horizon: int | None = None

    def __post_init__(self) -> None:
        if not 0 < exact(self.beta, "beta") < 1:
            raise expected("a beta above 0 and below 1", beta=self.beta)
        if self.horizon is not None and (isinstance(self.horizon, bool) or self.horizon < 1):
            raise expected("a horizon of at least 1 round, or none", horizon=self.horizon)

    def share(self, t: int) -> Fraction:
        """beta_t."""
        return Fraction(self.beta, t * (t + 1) if self.horizon is None else self.horizon)
