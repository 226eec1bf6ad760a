"""The k-hop game as defn:hop_sim writes it: the adversary names all k + 1 inputs of a round."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from dpcert.audit.relations.adjacency import Adjacency


@dataclass(frozen=True)
class HopTuples:
    """Inputs x^0, ..., x^k of which any two consecutive ones are legal; for symmetric relations."""

    adjacency: Adjacency[Any]
    hops: int

    @property
    def name(self) -> str:
        """The name of the relation of one hop."""
        return self.adjacency.name

    @property
    def initial(self) -> tuple[Any, ...]:
        """The state of every hop before round 1."""
        return (self.adjacency.initial,) * self.hops

    def legal(
        self, state: tuple[Any, ...], round_: int, alphabet: tuple[Any, ...]
    ) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Every tuple of inputs, each with the states of all hops after it."""
        links = [dict(self.adjacency.legal(hop, round_, alphabet)) for hop in state]
        for inputs in product(alphabet, repeat=self.hops + 1):
            pairs = list(pairwise(inputs))
            if all(pair in link for pair, link in zip(pairs, links, strict=True)):
                yield inputs, tuple(link[pair] for pair, link in zip(pairs, links, strict=True))
