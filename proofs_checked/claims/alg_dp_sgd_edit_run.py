"""alg:dp_sgd_edit: the pipeline that runs does what the lines of the algorithm say."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dpcert.audit.finding import Finding, Method
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.pipeline import ContinualSgd
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.live.session import RandBinSession
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.proofs_checked.cases.counting import every
from dpcert.proofs_checked.cases.trees import partition
from dpcert.proofs_checked.ledger import claim

EVENTS = [0.0, 1.5, -0.75, 2.0, 0.25, -3.0, 1.0] * 5
BITS = 8
RATE = Fraction(1, 2)
TOYS = (RandBinToy(), RandBinToy(level=4))
PLACES = ("least", "middle", "largest")
Gradients = Callable[[Floats, Sequence[Any]], Floats]


class Counted:
    """Noise whose k-th draw is known: 5, -3, 5, -3, ... grid units, so that a run can be worked out beside it."""

    sigma, shift, distance = Fraction(1), Fraction(0), Fraction(0)

    def __init__(self) -> None:
        self._drawn = 0

    def sample(self, count: int) -> Any:
        """So many of them."""
        made = [row_noise(k) for k in range(self._drawn + 1, self._drawn + count + 1)]
        self._drawn += count
        return np.array(made)


def row_noise(k: int) -> int:
    """What the k-th row is noised by."""
    return 5 if k % 2 else -3


def towards(model: Floats, events: Sequence[Any]) -> Floats:
    """The gradients of |w - e|^2 / 2 at the model that is handed over."""
    slopes: Floats = model[None] - np.array(events)[:, None]
    return slopes


def at_the_start(model: Floats, events: Sequence[Any]) -> Floats:
    """The same at w_0, whatever was released since."""
    return towards(np.zeros_like(model), events)


def drawn(place: str) -> Any:
    """A draw that takes the least, the middle or the largest outcome of each law."""

    def draw(law: Any) -> Any:
        outcomes = sorted(law.support)
        return outcomes[{"least": 0, "middle": len(outcomes) // 2, "largest": -1}[place]]

    return draw


def clipped(slope: Fraction) -> int:
    """Clip_1 of a slope in whole units of 2^-BITS, towards 0 and below the norm."""
    units = int(min(abs(slope) * (1 << BITS), Fraction((1 << BITS) - 1)))
    return units if slope > 0 else -units


def by_the_lines(toy: RandBinToy, place: str) -> Iterator[Fraction]:
    """w^(t) after every event, line by line with fractions; d = 1, G = 1, w^(0) = 0."""
    bins, model, updates = RandBinSession(toy, draw=drawn(place)), Fraction(0), list[int]()
    for event in EVENTS:
        events = bins.push(event)
        if events is not None:
            mean = sum(clipped(model - Fraction(e)) for e in events) * RATE / len(events)
            updates.append(int(mean))  # towards 0
            k = len(updates)
            noise = sum(row_noise(last) for _, last in partition(k))
            model = -Fraction(sum(updates) + noise, 1 << BITS)
        yield model


@claim("alg:dp_sgd_edit", row=None, method=Method.EXHAUSTIVE, subject=towards, mutant=at_the_start,
       scope=f"{len(EVENTS)} events, U 2 and 4, loads each the least, middle or largest; known noise, tree of sums",
       uses=("sec:prefixsum_factor/the_tree_makes_prefix_sums", "thm:randbin_utility/bins_are_a_prefix_of_the_events"),
       )  # fmt: skip
def the_pipeline_is_the_algorithm(subject: Gradients) -> Finding:
    """Released models are w_0 - S_k, S_k the noisy sum of eta g_k made at the last model; they stay between bins."""

    def same(toy: RandBinToy, place: str) -> bool:
        updates = Updates(1, Fraction(1), RATE, BITS)
        core = TreeSums(32, 1, updates.largest)
        run = ContinualSgd(toy, core, Counted(), updates, subject, np.zeros(1), draw=drawn(place))
        for event, model in zip(EVENTS, by_the_lines(toy, place), strict=True):
            run.push(event)
            if Fraction(float(run.model[0])) != model:
                return False
        return run.released > 2

    return every("runs", product(TOYS, PLACES), same)
