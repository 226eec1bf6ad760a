"""def:npp: a paired simulation whose hidden outputs stay neighbours, on two noisy bits a round, one of them hidden."""

from itertools import product

from dpcert.audit.finding import Finding, Method
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.paired import PAIRS, SEEDS, Seed, Simulation, mechanism, same_seed, unrelated
from dpcert.proofs_checked.cases.relations import hamming
from dpcert.proofs_checked.ledger import claim


@claim("def:npp", row=28, method=Method.EXHAUSTIVE, scope="two rounds: every branch, seed and pair of streams",
       subject=same_seed, mutant=unrelated, uses=("assume:ns", "def:paired_sim"))  # fmt: skip
def one_seed_for_both_inputs_is_one(subject: Simulation) -> Finding:
    """Answering both inputs from one seed keeps the hidden outputs neighbours, and projects onto the mechanism."""

    def preserves(b: int, seeds: tuple[Seed, ...], pairs: tuple[tuple[int, int], ...]) -> bool:
        answers = [subject(b, seed, *pair) for seed, pair in zip(seeds, pairs, strict=True)]
        y0, y1 = (tuple(answer[1 + world] for answer in answers) for world in (0, 1))
        real = [mechanism(seed, pair[b]) for seed, pair in zip(seeds, pairs, strict=True)]
        return hamming(y0, y1) and real == [(answer[0], answer[1 + b]) for answer in answers]

    streams = [pairs for pairs in product(PAIRS, repeat=2) if hamming(*zip(*pairs, strict=True))]
    return every("simulated runs", product((0, 1), product(SEEDS.support, repeat=2), streams), preserves)
