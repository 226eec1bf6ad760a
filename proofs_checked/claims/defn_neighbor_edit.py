"""defn:neighbor_edit: streams of which one has an item more; both ways to say so, and the automaton that reads them."""

from collections.abc import Callable
from functools import reduce
from itertools import product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.edits import after_edit
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.relations import Relation, Stream, edit, hamming
from dpcert.proofs_checked.ledger import claim

LABEL = "defn:neighbor_edit"
SCOPE = "all pairs of streams of up to 4 items of 3 kinds"


def shifted(x: Stream, y: Stream) -> bool:
    """For some t_0: y_t = x_t before it and x_(t+1) from it on, as far as x goes; or the other way round."""

    def follows(f: Stream, g: Stream, start: int) -> bool:
        before = all(g[t] == f[t] for t in range(start))
        return before and all(g[t] == f[t + 1] for t in range(start, len(f) - 1))

    return len(x) == len(y) and any(follows(x, y, t) or follows(y, x, t) for t in range(len(x) + 1))


def late(x: Stream, y: Stream) -> bool:
    """The same with the shift one item too late."""
    return shifted(x[:-1], y[:-1])


def _pairs(length: int) -> list[tuple[Stream, Stream]]:
    streams: list[list[Stream]] = [list(product("abc", repeat=n)) for n in range(1, length + 1)]
    return [(x, y) for listed in streams for x, y in product(listed, repeat=2)]


def deletions(n: int) -> set[tuple[Stream, Stream]]:
    """Both orders of (stream, the same with one item deleted), cut to n items; what lies beyond n + 1 plays no role."""
    longer = product("abc", repeat=n + 1)
    ordered = {(x[:n], (*x[:t], *x[t + 1 :])[:n]) for x in longer for t in range(n + 1)}
    return ordered | {(y, x) for x, y in ordered}


@claim(LABEL, row=31, method=Method.EXHAUSTIVE, scope=SCOPE, subject=(shifted, edit), mutant=(shifted, hamming))
def both_definitions_agree(subject: tuple[Relation, Relation]) -> Finding:
    """Deleting an item of an infinite stream, and a shift by one from some index on, relate the same prefixes."""
    listed = {n: deletions(n) for n in range(1, 5)}

    def agree(x: Stream, y: Stream) -> bool:
        return all(relation(x, y) is ((x, y) in listed[len(x)]) for relation in subject)

    return every("pairs of streams", _pairs(4), agree)


def forgetful(state: Any, pair: tuple[Any, Any]) -> Any:
    """The automaton, when only the first stream may be the longer one."""
    after = after_edit(state, pair)
    left = None if after is None else frozenset(way for way in after if way[0] == 0)
    return None if after and not left else left


def _step(automaton: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda state, pair: None if state is None else automaton(state, pair)


@claim(LABEL, row=31, method=Method.EXHAUSTIVE, scope=SCOPE, subject=after_edit, mutant=forgetful,
       uses=(f"{LABEL}/both_definitions_agree", "assume:ns"))  # fmt: skip
def the_automaton_reads_edit_neighbours(subject: Callable[[Any, Any], Any]) -> Finding:
    """The automaton that games are played on accepts a pair of prefixes if and only if they are edit neighbours."""

    def reads(x: Stream, y: Stream) -> bool:
        reached: Any = reduce(_step(subject), zip(x, y, strict=True), frozenset())
        return (reached is not None) is edit(x, y)

    return every("pairs of streams", _pairs(4), reads)
