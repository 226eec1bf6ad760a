"""A policy as a finite graph: which pair of inputs is submitted where, and on which transcripts its event comes."""

from collections.abc import Sequence
from typing import Any

from dpcert.audit.frozen import frozen

Pair = tuple[Any, ...]
"""What is submitted in a round: the input of world 0 first, that of world 1 last."""
Way = int | bool
"""The next node by number or, after the last round, whether the event came."""


@frozen
class PolicyNode:
    """A round of a policy after some transcripts.

    Attributes:
        round: Which, from 1.
        pair: The inputs that are submitted.
        ways: Where each class of outputs leads.
    """

    round: int
    pair: Pair
    ways: tuple[Way, ...]


@frozen
class Policy:
    """What is submitted after what was seen, and an event; node 0 starts, and nodes lead to later ones."""

    nodes: tuple[PolicyNode, ...]

    def after(self, at: Way, observed: int) -> Way:
        """Where an observation leads; the end stays the end."""
        return at if isinstance(at, bool) else self.nodes[at].ways[observed]


def submitted_alike(policies: Sequence[Policy]) -> list[list[int]]:
    """The policies, by number, in groups that submit the same after everything, whatever their events."""
    numbers: dict[Any, int] = {}
    groups: dict[int, list[int]] = {}
    for number, policy in enumerate(policies):
        marks: dict[int, int] = {}
        for at in range(len(policy.nodes) - 1, -1, -1):
            node = policy.nodes[at]
            ways = tuple(-1 if isinstance(way, bool) else marks[way] for way in node.ways)
            marks[at] = numbers.setdefault((node.pair, ways), len(numbers))
        groups.setdefault(marks[0], []).append(number)
    return list(groups.values())
