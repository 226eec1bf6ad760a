"""defn:hop_sim: k + 1 streams submitted round by round, each a neighbour of the next."""

from itertools import product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, Adjacency
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.hop_tuples import HopTuples
from dpcert.proofs_checked.cases.plays import streams
from dpcert.proofs_checked.cases.relations import Stream, hamming
from dpcert.proofs_checked.ledger import claim, found


@claim("defn:hop_sim", row=None, method=Method.EXHAUSTIVE, scope="two hops, two rounds of bits, every input",
       subject=HopTuples(HAMMING, 2), mutant=HopTuples(HAMMING, 1),
       uses=("defn:hop-neighboring", "def:paired_sim"))  # fmt: skip
def hop_inputs_are_chains_of_neighbours(subject: Adjacency[Any]) -> Finding:
    """Consecutive streams of the k-hop game are neighbours, and its first and last ones are all k-hop neighbours."""
    sequences = streams(TwoRound(), 2, subject)
    chains = all(hamming(x, y) for inputs in sequences for x, y in zip(*_steps(inputs), strict=True))
    ends = {(x[0], x[-1]) for x in (tuple(zip(*inputs, strict=True)) for inputs in sequences)}
    bits = list(product((0, 1), repeat=2))
    two_hops = {(x, z) for x in bits for y in bits for z in bits if hamming(x, y) and hamming(y, z)}
    return found(chains and ends == two_hops, f"{len(ends)} pairs of ends, {len(two_hops)} two-hop neighbours.")


def _steps(inputs: tuple[tuple[Any, ...], ...]) -> tuple[list[Stream], list[Stream]]:
    """The streams of all worlds but the last, and of all but the first."""
    worlds = list(zip(*inputs, strict=True))
    return worlds[:-1], worlds[1:]
