"""How curves are to be found: which tier, and how near bounds are to come. An exact audit reads nothing else here."""

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import supremum
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen
from dpcert.audit.solving.analysis import Analysis

Tier = Literal["auto", "exact", "enclosed"]
TIERS: tuple[Tier, ...] = ("auto", "exact", "enclosed")
DEFAULT_GAP = Fraction(1, 10**6)
"""What bounds may be apart at every e^epsilon asked for, where nobody says."""
MOST_EXACT_ROUNDS = 24
"""Rounds up to which a game is solved exactly unless the enclosed tier is asked for."""


@frozen
class Effort:
    """How curves are to be found.

    Attributes:
        tier: Which tier; `auto` is the exact one, and past its bound the enclosed one.
        gap: What bounds may be apart at every e^epsilon that is asked for.
        checkpoint: The file in which what was found is kept; empty for none.
        kept_after: Seconds of solving after which levels are kept there.
    """

    tier: Tier = "auto"
    gap: Fraction = DEFAULT_GAP
    checkpoint: str = ""
    kept_after: int = 0

    def __post_init__(self) -> None:
        if self.tier not in TIERS:
            raise expected(f"one of {', '.join(TIERS)}", tier=self.tier)
        if not self.gap > 0:
            raise expected("a gap above 0", gap=self.gap)


def certified(analysis: Analysis) -> Analysis:
    """The same where a certificate says that both curves are one: bounds of either are bounds of the other."""
    if not analysis.enclosed:
        return analysis
    lower = supremum([analysis.adaptive.lower, analysis.fixed.lower])
    both = Bracket(lower, analysis.adaptive.upper)
    return replace(analysis, adaptive=both, fixed=both)
