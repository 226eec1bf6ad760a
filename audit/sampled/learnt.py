"""Laws as they were learnt: of the class of the next output, given what is remembered of a run; floats, never a result.

Whatever is learnt here, and however badly, what is tested later holds all the same.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcert.audit.frozen import frozen

Floats = NDArray[np.float64]
Seen = tuple[tuple[Any, ...], tuple[int, ...]]
"""One run in learning: its inputs, as tokens, and the classes of its outputs."""
PRIOR = 2.0
"""Runs that the law of a round as a whole counts for, where little was seen."""


@frozen
class Recall:
    """What of a run a learnt law depends on.

    Attributes:
        name: In words.
        given: What the law of a round depends on: from what is kept and the input.
        kept: What is kept after a round: from what its law depended on and the class of its output.
    """

    name: str
    given: Callable[[Any, Any], Hashable]
    kept: Callable[[Any, int], Hashable]


def _last(count: int) -> Recall:
    """The input, and the last rounds before it."""
    return Recall(
        f"the input, and inputs and outputs of {count} rounds before it" if count else "the input",
        lambda kept, x: (*kept, x),
        lambda given, y: (*given, y)[-2 * count :] if count else (),
    )


MEMORIES = (
    Recall("all inputs and outputs so far", lambda kept, x: (*kept, x), lambda given, y: (*given, y)),
    Recall("all inputs so far", lambda kept, x: (*kept, x), lambda given, _: given),
    Recall("how often each input came", lambda kept, x: tuple(sorted((*kept, x), key=repr)), lambda given, _: given),
    _last(2),
    _last(1),
    _last(0),
)
"""What laws are tried to depend on."""


@dataclass
class Learnt:
    """The learnt laws of a black box.

    Attributes:
        memory: What they depend on.
        counts: How many classes each round has.
        laws: By round, the law given each thing that was met, as counts.
        whole: By round, the law of all runs.
    """

    memory: Recall
    counts: Sequence[int]
    laws: list[dict[Hashable, Floats]]
    whole: list[Floats]
    _known: dict[Hashable, Floats] = field(default_factory=dict)

    def law(self, round_: int, condition: Hashable) -> Floats:
        """Probabilities of the classes of a round, none of them 0."""
        key = (round_, condition)
        law = self._known.get(key)
        if law is None:
            whole = self.whole[round_ - 1]
            met = self.laws[round_ - 1].get(condition)
            law = whole if met is None else (met + PRIOR * whole) / (met.sum() + PRIOR)
            self._known[key] = law
        return law


def learnt(memory: Recall, counts: Sequence[int], runs: Sequence[Seen]) -> Learnt:
    """The laws that runs lead to."""
    laws: list[dict[Hashable, Floats]] = [{} for _ in counts]
    whole = [np.full(count, 0.5) for count in counts]
    for inputs, observed in runs:
        past: Any = ()
        for t, (x, y) in enumerate(zip(inputs, observed, strict=True)):
            condition = memory.given(past, x)
            law = laws[t].get(condition)
            if law is None:
                law = laws[t][condition] = np.zeros(counts[t])
            law[y] += 1
            whole[t][y] += 1
            past = memory.kept(condition, y)
    return Learnt(memory, counts, laws, [law / law.sum() for law in whole])


def surprise(model: Learnt, runs: Sequence[Seen]) -> float:
    """The logarithmic loss of a model on runs that it was not learnt from."""
    loss = 0.0
    for inputs, observed in runs:
        past: Any = ()
        for t, (x, y) in enumerate(zip(inputs, observed, strict=True), 1):
            condition = model.memory.given(past, x)
            loss -= float(np.log(model.law(t, condition)[y]))
            past = model.memory.kept(condition, y)
    return loss
