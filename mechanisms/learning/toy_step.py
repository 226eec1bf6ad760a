"""One round of the pipeline at toy size, exactly: a bin's rounded update, a node of the tree, geometric noise."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.release import Release
from dpcert.mechanisms.aggregators.tree_sums import TreeSums
from dpcert.mechanisms.learning.updates import Updates
from dpcert.mechanisms.noise.integer_laws import two_sided_geometric

SIZE = 0.625
"""Of gradients: a multiple of the grid."""
ROUNDS_OF_SUMS = 4
"""Rounds of the tree of sums: more than bins leave in any of the games."""


@dataclass(frozen=True)
class ToyStep:
    """Takes a bin of bits, and releases the tree's node of updates, plus noise: what the pipeline does in a round.

    Gradients are SIZE or -SIZE by the bit, and turn round when the last release was positive: they look at the model.

    Args:
        bits: Fractional bits of an update.
        ratio: Of neighbouring masses of the noise, above 1.
        reach: The noise is on -reach..reach.
    """

    bits: int
    ratio: Fraction
    reach: int
    initial: ClassVar[tuple[int, tuple[int, ...], int]] = (0, (0, 0, 0), 0)

    @cached_property
    def law(self) -> Pmf[int]:
        """Of the noise; its ends hold the tails."""
        return two_sided_geometric(self.ratio, first=-self.reach, last=self.reach)

    @property
    def updates(self) -> Updates:
        """One component, eta = 1, and G the gradients' size."""
        return Updates(1, Fraction(SIZE) * Fraction(33, 32), Fraction(1), self.bits)

    def step(self, state: Any, x: tuple[int, ...], draw: Draw) -> tuple[Release[int, None], Any]:
        """One bin."""
        t, nodes, last = state
        node, after = _measured(self, t + 1, nodes, x, last > 0)
        row = node + draw(self.law)
        return Release(row), (t + 1, after, row)

    def update(self, x: tuple[int, ...], *, turned: bool = False) -> Any:
        """Of a bin of bits."""
        size = -SIZE if turned else SIZE
        return self.updates.of(np.array([[size * (2 * bit - 1)] for bit in x]))

    def profile(self, shift: int) -> PowerFunction:
        """Of one row that is moved by so much."""
        return PowerFunction.from_laws(self.law, self.law.map(lambda k: k + shift))

    def moved(self, level: int) -> int:
        """The most that an edit moves a bin's update by, over all bins of bits of U to 2U events."""
        sizes = range(level, 2 * level + 1)
        update = {x: int(self.update(x)[0]) for size in sizes for x in product((0, 1), repeat=size)}
        replaced = [(x, (*x[:i], 1 - x[i], *x[i + 1 :])) for x in update for i in range(len(x))]
        one_more = [(x, (*x, bit)) for x in update if len(x) < 2 * level for bit in (0, 1)]
        return max(abs(update[x] - update[y]) for x, y in replaced + one_more)


@cache
def _measured(
    second: ToyStep, t: int, nodes: tuple[int, ...], x: tuple[int, ...], turned: bool
) -> tuple[int, tuple[int, ...]]:
    """The node of round t, and the nodes after it."""
    memory = np.array(nodes)[:, None]
    core = TreeSums(ROUNDS_OF_SUMS, 1, second.updates.largest)
    row = int(core.measure((memory,), t, second.update(x, turned=turned))[0])
    return row, tuple(memory[:, 0].tolist())
