"""What is wrong with probed code, by name: what contradicts A x + B z, and known ways to draw noise wrongly."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class FaultName(StrEnum):
    """The names of what a probe finds.

    The first seven contradict y = c + A x + B z with z drawn whatever the data are; the rest are of A and B.
    """

    HIDDEN = "hidden randomness"
    DRAWS = "draws depend on data"
    SCALE = "noise scale depends on data"
    SHAPE = "what is released depends on data"
    INPUTS = "not linear in the inputs"
    NOISE = "not linear in the noise"
    PRODUCT = "noise depends on data"
    AHEAD = "looks ahead"
    BARE = "released without noise"
    REUSED = "noise reused"
    ANEW = "noise drawn anew at each read"
    VARIANCE = "variance where the deviation was meant"
    ROOT = "root of the deviation where the deviation was meant"
    OTHER_NOISE = "noise other than claimed"
    KEEPS = "restart keeps noise"
    FOLDS = "restart folds noise"
    RETELLS = "restart tells old inputs again"


MODEL_FAULTS = frozenset(list(FaultName)[:7])
"""What contradicts the model."""


@dataclass(frozen=True)
class NamedFault:
    """One of them.

    Args:
        name: Which.
        detail: What was seen, in a sentence.
        witness: What to look at: inputs, noise, releases, draws.
        refutes: Whether something that was asked for is refuted by it; else it is a remark, and the numbers count it.
        tells_apart: Whether two neighbours were told apart by it, on every run with random noise.
    """

    name: FaultName
    detail: str
    witness: Mapping[str, Any] = field(default_factory=dict)
    refutes: bool = True
    tells_apart: bool = False

    @property
    def is_of_model(self) -> bool:
        """Whether it contradicts y = c + A x + B z, and says by itself nothing of how much is given away."""
        return self.name in MODEL_FAULTS and not self.tells_apart
