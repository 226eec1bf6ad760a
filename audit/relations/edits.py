"""EDIT: streams one of which has an item more, so that from there on they are one round apart."""

from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any

from dpcert.audit.frozen import frozen
from dpcert.audit.relations.tags import NEW, OTHER, aged

Ways = frozenset[tuple[int, Hashable]]
"""How two streams can be edit neighbours: (which is longer, the item it takes next); empty while they are equal."""


def after_edit(state: Ways, pair: tuple[Any, ...]) -> Ways | None:
    """The ways left after one more pair of items, None where there is none.

    When streams first differ, either may be the longer one; the next round tells, unless items repeat.

    >>> first = after_edit(frozenset(), ("w", "u"))
    >>> sorted(first), after_edit(first, ("u", "v")), after_edit(first, ("v", "v"))
    ([(0, 'u'), (1, 'w')], frozenset({(0, 'v')}), None)
    """
    if not state:
        return state if pair[0] == pair[1] else frozenset({(0, pair[1]), (1, pair[0])})
    left = frozenset((longer, pair[1 - longer]) for longer, due in state if pair[longer] == due)
    return left or None


@frozen(slots=True)
class Edit:
    """~E on a finite alphabet: an item is deleted from either stream. The state is how they can still be neighbours.

    Args:
        name, initial: As every relation has them.
    Source: paper.tex, defn:neighbor_edit.

    >>> ((_, after),) = (step for step in EDIT.legal(frozenset(), 1, ("a", "b")) if step[0] == ("a", "b"))
    >>> sorted(pair for pair, _ in EDIT.legal(after, 2, ("a", "b")))
    [('a', 'a'), ('b', 'a'), ('b', 'b')]
    """

    name: str = "edit"
    initial: Ways = frozenset()

    def legal(self, state: Ways, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Ways]]:
        """Any pair until the streams differ; then one stream repeats the other's last item. As in `Adjacency`."""
        del round_
        for pair in product(alphabet, repeat=2):
            after = after_edit(state, pair)
            if after is not None:
                yield pair, after


@frozen(slots=True)
class TaggedEdit:
    """~E on items that occur once each; all other choices of distinct items are renamings of these.

    Source: paper.tex, sec:randbin (unique tags).
    """

    name: str = "edit"
    initial: Ways = frozenset()

    def legal(self, state: Ways, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Ways]]:
        """Until the streams differ: one new item for both, or two; then who is longer; then there is no choice left."""
        del round_, alphabet
        started = [(due, NEW) if longer == 0 else (NEW, due) for longer, due in sorted(state)]
        for pair in started or [(NEW, NEW), (NEW, OTHER)]:
            after = after_edit(state, pair)
            if after is not None:
                yield pair, aged(after)


EDIT = Edit()
TAGGED_EDIT = TaggedEdit()
