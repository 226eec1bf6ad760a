"""A public draw of one of several experiments: its power function, exactly."""

from collections.abc import Iterable
from fractions import Fraction

from dpcert.audit.algebra import chain as chains
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import exact
from dpcert.audit.errors import expected


def mix(parts: Iterable[tuple[Fraction | int, PowerFunction]]) -> PowerFunction:
    """The power function of a public draw of one of `parts` followed by its experiment. Exact.

    Args:
        parts: Pairs (w_i, f_i): its probability, an int or Fraction, and a power function; at least one.
    Returns: The power function of seeing which part was drawn, and then its outcome.
    Raises: ArgumentError: no part, or probabilities that do not sum to exactly 1, or are negative or floats.
    Source: paper.tex, fact:joint_convexity (the draw, where it is seen).

    >>> from dpcert import dp_power
    >>> mix([(Fraction(1, 2), dp_power(3)), (Fraction(1, 2), PowerFunction.identity())]).total_variation
    Fraction(1, 4)
    """
    pairs = [(exact(w, "share"), f) for w, f in parts]
    if not pairs:
        raise expected("at least one part", parts=pairs)
    coin, total = Pmf(enumerate(w for w, _ in pairs)).token_weights()
    aligned = chains.over_common_totals([f.chain for _, f in pairs])
    runs = [(coin[i], coin[i], c) for i, c in enumerate(aligned) if i in coin]
    return PowerFunction(chains.release(runs, total * aligned[0].total0, total * aligned[0].total1))
