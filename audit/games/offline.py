"""Code that reads later inputs has no interactive run: only whole streams, handed in at once, can be compared."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import field
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.budget import Budget
from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Move, Pair, Place, released
from dpcert.audit.identity import held
from dpcert.audit.kernels.code import Code, Stream
from dpcert.audit.relations.adjacency import OVER, Adjacency


@frozen
class OfflineGame:
    """One round in which a pair of whole streams of `rounds` inputs is submitted and all outputs are seen."""

    code: Code
    adjacency: Adjacency[Any]
    rounds: int
    horizon: int = 1
    initial: Hashable = ()
    budget: Budget = field(default_factory=Budget, compare=False)
    _laws: dict[Stream, Pmf[Stream]] = field(default_factory=dict, compare=False)

    def moves(self, position: Hashable, round_: int, place: Place[Any]) -> tuple[Move, ...]:
        """One move a pair of neighbouring streams; pairs with the same two laws share one."""
        del position, round_, place
        apart: dict[tuple[Pmf[Stream], Pmf[Stream]], Pair] = {}
        for pair in self._pairs():
            self.budget.check()
            apart.setdefault((self._law(pair[0]), self._law(pair[-1])), pair)
        return tuple(released(pair, *laws, END) for laws, pair in apart.items())

    def describe(self, position: Hashable) -> str:
        """Nothing has been submitted."""
        del position
        return "before the streams"

    def laws(self) -> Iterable[tuple[Stream, Pmf[Stream]]]:
        """The law of all outputs of each stream met so far, by stream."""
        return self._laws.items()

    def _law(self, stream: Stream) -> Pmf[Stream]:
        law = self._laws.get(stream)
        if law is None:
            seeds = self.code.seeds(self.rounds)
            law = self._laws[stream] = seeds.map(lambda drawn: self.code.respond(held(drawn), stream))
        return law

    def _pairs(self) -> Iterator[Pair]:
        """Pairs of streams that the relation allows, each once."""
        prefixes: dict[tuple[Pair, Any], None] = {(((), ()), self.adjacency.initial): None}
        for round_ in range(1, self.rounds + 1):
            prefixes = {
                (((*pair[0], inputs[0]), (*pair[-1], inputs[-1])), after): None
                for pair, relation in prefixes
                for inputs, after in self.adjacency.legal(relation, round_, self.code.alphabet)
                if after is not OVER or round_ == self.rounds
            }
        yield from dict.fromkeys(pair for pair, _ in prefixes)
