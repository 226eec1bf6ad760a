"""What can be after the same inputs, as far as two of it say the same of the next round under every further input."""

from collections.abc import Callable, Mapping
from typing import Any

from dpcert.audit.frozen import frozen

Ways = Mapping[Any, Any]
"""What can be after some inputs, each with a way that leads there."""


@frozen(slots=True)
class Parting:
    """Inputs, the last of which has two of what can be before it say otherwise; each of them with its way."""

    inputs: tuple[Any, ...]
    one: tuple[Any, Any]
    other: tuple[Any, Any]


def first_parting(
    start: Ways,
    inputs: tuple[Any, ...],
    horizon: int,
    says: Callable[[int, Any, Any], Any],
    after: Callable[[int, Ways, Any], Ways],
    look: Callable[[int], None],
) -> Parting | None:
    """The shortest inputs after which two of what can be say otherwise; None where there are none within the horizon.

    Args:
        start: What can be before the first round.
        inputs, horizon: The legal inputs of a round, and how many rounds there are.
        says: (rounds played, one of what can be, input) -> what the next round does then.
        after: (rounds played, what can be, input) -> what can be after that round.
        look: Is told, each time, how many comparisons were made; it may end them.
    """
    here: dict[frozenset[Any], tuple[tuple[Any, ...], Ways]] = {frozenset(start): ((), start)}
    count = 0
    for t in range(horizon):
        following: dict[frozenset[Any], tuple[tuple[Any, ...], Ways]] = {}
        for before, ways in here.values():
            for x in inputs:
                count += len(ways)
                look(count)
                first, *others = ways
                said = says(t, first, x)
                other = next((one for one in others if says(t, one, x) != said), None)
                if other is not None:
                    return Parting((*before, x), (first, ways[first]), (other, ways[other]))
                led = after(t, ways, x)
                following.setdefault(frozenset(led), ((*before, x), led))
        here = following
    return None
