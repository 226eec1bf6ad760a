"""Index sets in words: few one by one, many by the rule that they follow."""

from collections.abc import Callable, Sequence
from itertools import groupby

MOST_SETS = 8
"""Rounds whose index sets are listed one by one."""
MOST_GROUPS = 8
"""Groups of rounds with one rule that are named where no rule fits them all."""

Rule = Callable[[int], tuple[int, ...]]


def index_sets(influence: Sequence[tuple[int, ...]]) -> str:
    """`I_1 = {1}, I_2 = {1, 2}`; past MOST_SETS rounds the rule, or the sets by groups of rounds.

    Args:
        influence: The rounds that each round looks at, in ascending order, the first round's first.

    >>> index_sets([(1,), (1, 2)])
    'I_1 = {1}, I_2 = {1, 2}'
    >>> index_sets([tuple(range(1, t + 1)) for t in range(1, 100)])
    'I_t = {1, ..., t}'
    """
    if len(influence) <= MOST_SETS:
        return ", ".join(f"I_{t} = {_braces(one)}" for t, one in enumerate(influence, 1))
    for words, rule in _rules(influence):
        if all(one == rule(t) for t, one in enumerate(influence, 1)):
            return f"I_t = {words}"
    groups = [(key, [t for t, _ in group]) for key, group in groupby(enumerate(influence, 1), key=_shape)]
    named = [f"{_rounds(rounds)}: {words}" for words, rounds in groups[:MOST_GROUPS]]
    left = sum(len(rounds) for _, rounds in groups[MOST_GROUPS:])
    return "; ".join(named) + (f"; and {left} more rounds" if left else "")


def _rules(influence: Sequence[tuple[int, ...]]) -> list[tuple[str, Rule]]:
    width = max(map(len, influence))
    window = f"{{t - {width - 1}, ..., t}}, from round 1 on" if width > 1 else "{t}"
    return [
        ("{}", lambda _: ()),
        ("{1, ..., t}", lambda t: tuple(range(1, t + 1))),
        (window, lambda t: tuple(range(max(1, t - width + 1), t + 1))),
        ("{t - lowbit(t) + 1, ..., t}", lambda t: tuple(range(t - (t & -t) + 1, t + 1))),
        ("{t - 1}, and {} in round 1", lambda t: (t - 1,) if t > 1 else ()),
    ]


def _shape(numbered: tuple[int, tuple[int, ...]]) -> str:
    """An index set relative to its round where it ends there, else as it is."""
    t, one = numbered
    if one and one == tuple(range(one[0], t + 1)):
        if one[0] == 1:
            return "{1, ..., t}"
        return "{t}" if one[0] == t else f"{{t - {t - one[0]}, ..., t}}"
    return _braces(one)


def _braces(one: tuple[int, ...]) -> str:
    if len(one) > MOST_SETS and one == tuple(range(one[0], one[-1] + 1)):
        return f"{{{one[0]}, ..., {one[-1]}}}"
    left = len(one) - 2 * MOST_SETS
    shown = ", ".join(map(str, one[: 2 * MOST_SETS]))
    return f"{{{shown}, and {left} more}}" if left > 0 else f"{{{shown}}}"


def _rounds(rounds: Sequence[int]) -> str:
    return f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
