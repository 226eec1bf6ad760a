"""Weights of a round as stretches: rounds one after another that it weighs alike, those of weight 0 left out."""

from itertools import groupby, repeat

from dpcert.audit.errors import MechanismError
from dpcert.audit.kernels.label import label

Stretch = tuple[int, int, int]
"""(first round, last round, weight)."""
Stretches = tuple[Stretch, ...]


def checked(name: str, t: int, answer: object) -> Stretches:
    """What a mechanism says of round t, as stretches in order.

    Raises: MechanismError: anything else.
    """
    demand = f"Expected {name}.stretches({t}) to be triples (first, last, weight), in order, within 1 to {t},"
    if type(answer) is not tuple:
        raise MechanismError(f"{demand} but got {label(answer)}")
    before = 0
    for one in answer:
        if type(one) is not tuple or len(one) != 3 or any(type(number) is not int for number in one):
            raise MechanismError(f"{demand} whole numbers exactly of type int, but got {label(one)}")
        first, last, weight = one
        if not before < first <= last <= t or not weight:
            raise MechanismError(f"{demand} none of weight 0, but got {label(answer)}")
        before = last
    return answer


def written_out(stretches: Stretches, t: int) -> tuple[int, ...]:
    """The weights of round t one by one.

    >>> written_out(((2, 3, 5),), 4)
    (0, 5, 5, 0)
    """
    weights = [0] * t
    for first, last, weight in stretches:
        weights[first - 1 : last] = repeat(weight, last - first + 1)
    return tuple(weights)


def stretches_of(weights: tuple[int, ...]) -> Stretches:
    """The stretches of weights that are listed one by one.

    >>> stretches_of((0, 5, 5, 0))
    ((2, 3, 5),)
    """
    stretches, at = [], 1
    for weight, alike in groupby(weights):
        after = at + sum(1 for _ in alike)
        if weight:
            stretches.append((at, after - 1, weight))
        at = after
    return tuple(stretches)
