"""def:paired_sim: pairs of inputs whose prefixes are neighbouring; world b runs the mechanism on the b-th ones."""

from itertools import product
from typing import Any

from dpcert.audit.finding import Finding, Method
from dpcert.audit.relations.adjacency import HAMMING, Adjacency
from dpcert.audit.relations.hops import Hops
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.plays import blind, streams, view_law
from dpcert.proofs_checked.cases.relations import hamming
from dpcert.proofs_checked.ledger import claim, found


@claim("def:paired_sim", row=None, method=Method.EXHAUSTIVE, scope="two rounds on bits: every sequence of pairs",
       subject=HAMMING, mutant=Hops(HAMMING, 2), uses=("assume:ns", "def:view"))  # fmt: skip
def each_world_runs_its_own_neighbouring_stream(subject: Adjacency[Any]) -> Finding:
    """The adversary can submit exactly the neighbouring streams; world b answers as on its own one."""
    core = TwoRound()
    sequences = {tuple((x[0], x[-1]) for x in inputs) for inputs in streams(core, 2, subject)}
    every_pair = product(product((0, 1), repeat=2), repeat=2)
    neighbours = {tuple(zip(x, y, strict=True)) for x, y in every_pair if hamming(x, y)}
    own = all(
        view_law(core, blind(pairs), world, 2)
        == core.law(x[:1]).product(core.law(x))
        for pairs in neighbours for world, x in enumerate(zip(*pairs, strict=True))
    )  # fmt: skip
    return found(
        own and sequences == neighbours, f"{len(sequences)} sequences of pairs, {len(neighbours)} by the definition."
    )
