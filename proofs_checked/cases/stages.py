"""Small two-stage pipelines: a first stage with its neighbour-preserving simulation, and a second."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.npp import Branches, BranchInputs
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.hidden import Hidden, enumerated_steps
from dpcert.audit.kernels.release import Release
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.two_round import TwoRound
from dpcert.proofs_checked.cases.cores import BITS

State = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Stage:
    """M: y_t = the sum of x over I_t, plus eta_t, modulo 2, hidden; v_t is a bit that is seen.

    v_t = 1 with a chance that x_t + eta_{t-1} modulo 2 chooses, and eta_t is 1 only where v_t is.

    Its simulation takes the real stream's (v_t, eta_t), and answers the other stream with the same noise, so that the
    hidden streams may differ in every round from the first difference on.

    Args:
        index_sets: I_1, I_2, ...
        seen: P(v_t = 1), as x_t + eta_{t-1} is 0 or 1.
        flipped: P(eta_t = 1 | v_t = 1).
    """

    index_sets: tuple[tuple[int, ...], ...]
    seen: tuple[Fraction, Fraction]
    flipped: Fraction
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[tuple[()]] = ()

    @property
    def horizon(self) -> int:
        """One round an index set."""
        return len(self.index_sets)

    @cached_property
    def laws(self) -> tuple[Pmf[tuple[int, int]], Pmf[tuple[int, int]]]:
        """The laws of (v, eta), as x_t + eta_{t-1} is 0 or 1."""
        first, second = (self._law(chance) for chance in self.seen)
        return first, second

    def _law(self, chance: Fraction) -> Pmf[tuple[int, int]]:
        chances = {(0, 0): 1 - chance, (1, 0): chance * (1 - self.flipped), (1, 1): chance * self.flipped}
        return Pmf({outcome: weight for outcome, weight in chances.items() if weight})

    def truth(self, inputs: tuple[int, ...]) -> int:
        """y_t without eta_t."""
        return sum(inputs[i - 1] for i in self.index_sets[len(inputs) - 1]) % 2

    def step(self, state: State, x: int, draw: Draw) -> tuple[Release[int, int], State]:
        """State: (x, eta) of every round so far."""
        inputs = (*(past for past, _ in state), x)
        v, eta = draw(self.laws[x ^ state[-1][1] if state else x])
        return Release(v, self.truth(inputs) ^ eta), (*state, (x, eta))

    def simulate(
        self, branch: int, state: tuple[State, tuple[int, ...]], pair: tuple[int, int], draw: Draw
    ) -> tuple[Release[int, tuple[int, int]], tuple[State, tuple[int, ...]]]:
        """State: (the algorithm's state, the other stream's inputs)."""
        release, own = self.step(state[0], pair[branch], draw)
        others = (*state[1], pair[1 - branch])
        real: Any = release.hidden
        other = self.truth(others) ^ own[-1][1]
        return Release(release.visible, (other, real) if branch else (real, other)), (own, others)

    def neighbour_preserving_power(self) -> PowerFunction:
        """f, the curve of (v, y_0, y_1) between the branches."""

        def shown(state: Any, x: BranchInputs, draw: Draw) -> tuple[Release[Any, None], Any]:
            release, after = self.simulate(x.branch, state, x.pair, draw)
            return Release((release.visible, release.hidden)), after

        view = Hidden("simulation", BITS, ((), ()), self.horizon, enumerated_steps("simulation", shown))
        return solve(explore(BeliefGame(view, Branches(HAMMING), self.horizon))).power


@dataclass(frozen=True)
class SteppedCore:
    """N: a two-round core on bits, as an Interactive."""

    core: TwoRound
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[tuple[int, ...]] = ()

    def step(self, state: tuple[int, ...], x: int, draw: Draw) -> tuple[Release[int, None], tuple[int, ...]]:
        """State: the inputs so far."""
        prefix = (*state, x)
        return Release(draw(self.core.law(prefix))), prefix


@dataclass(frozen=True)
class Adjacent:
    """Streams that differ in at most `width` adjacent rounds, the first difference and those right after it."""

    width: int
    name: str = "adjacent"
    initial: int = 0

    def legal(self, state: int, round_: int, alphabet: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], int]]:
        """State: rounds since the first difference, that one included."""
        del round_
        for x0, x1 in product(alphabet, repeat=2):
            if x0 == x1 or state < self.width:
                yield (x0, x1), min(self.width, state + 1) if state or x0 != x1 else 0


@dataclass(frozen=True)
class Augmented:
    """The pipeline of the proof: in branch b, the simulation of M on both streams, and N on hidden output b.

    Args:
        other: 1 feeds N the other hidden output instead.
    """

    stage: Stage
    second: SteppedCore
    other: int = 0
    initial: ClassVar[Any] = ((), ()), ()

    @property
    def alphabet(self) -> tuple[BranchInputs, ...]:
        """Every pair of bits, in either branch."""
        return tuple(BranchInputs(b, pair) for b in BITS for pair in product(BITS, BITS))

    def step(self, state: Any, x: BranchInputs, draw: Draw) -> tuple[Release[tuple[Any, Any], None], Any]:
        """(v, w)."""
        release, simulation = self.stage.simulate(x.branch, state[0], x.pair, draw)
        hidden: Any = release.hidden
        answer, after = self.second.step(state[1], hidden[x.branch ^ self.other], draw)
        return Release((release.visible, answer.visible)), (simulation, after)
