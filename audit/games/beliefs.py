"""The paired game of a mechanism with hidden state: a position holds what an observer believes in either world."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from math import gcd, lcm
from typing import Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import Stopped
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import checked_rounds
from dpcert.audit.games.paired import END, Move, Outcome, Pair, Place, Weighed
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.release import HALT
from dpcert.audit.limits import look
from dpcert.audit.relations.adjacency import OVER, Adjacency, inputs_of

Belief = tuple[tuple[int, int], ...]
"""(state number, integer weight), by number; the weights have no common divisor, so equal beliefs are equal tuples."""
BeliefPair = tuple[Any, Belief, Belief]
"""A position: the relation's state, the belief in world 0, the belief in world 1."""


MOST_OUTCOMES_AHEAD = 1_000_000
"""Outcomes of the steps of one round, as estimated from the first of them, past which it is not begun unasked."""
STEPS_FOR_AN_ESTIMATE = 8
"""Steps of a round that are enumerated before it is estimated what all of them come to."""


@dataclass
class RoundAhead:
    """What the steps of one round come to, estimated from those that are enumerated.

    Attributes:
        states: States that are stepped from for the first time; None where nothing is foreseen.
        steps: Steps enumerated so far, by state and input.
        outcomes: What they can lead to, in all.
    """

    states: int | None = None
    steps: list[tuple[int, Any]] = field(default_factory=list)
    outcomes: int = 0

    def begin(self, states: int | None) -> None:
        """A new round."""
        self.states, self.steps, self.outcomes = states, [], 0

    def stepped(self, step: tuple[int, Any], outcomes: int) -> str:
        """Counts a step; says why the round is not played where with the others of it it has too many outcomes."""
        if self.states is None:
            return ""
        self.steps.append(step)
        self.outcomes += outcomes
        if len(self.steps) < STEPS_FOR_AN_ESTIMATE:
            return ""
        ahead = self.outcomes * max(self.states, len(self.steps)) // len(self.steps)
        if ahead <= MOST_OUTCOMES_AHEAD:
            return ""
        return (
            f"the next round's steps have about {ahead:,} outcomes, more than {MOST_OUTCOMES_AHEAD:,} "
            "(MOST_OUTCOMES_AHEAD; with --max-seconds or --max-positions it is tried all the same)"
        )


@frozen
class Beliefs:
    """What can be believed of a mechanism's hidden state, one belief leading to the next."""

    view: Hidden
    _numbers: dict[Hashable, int] = field(default_factory=dict, compare=False)
    _states: list[Hashable] = field(default_factory=list, compare=False)
    _kernels: dict[tuple[int, Any], Kernel] = field(default_factory=dict, compare=False)
    _pushed: dict[tuple[Belief, Any], "BeliefLaw"] = field(default_factory=dict, compare=False)
    _stepped: set[int] = field(default_factory=set, compare=False)
    _ahead: RoundAhead = field(default_factory=RoundAhead, compare=False)

    @property
    def initial(self) -> Belief:
        """Sure of the initial state."""
        return ((self._number(self.view.initial), 1),)

    def describe(self, belief: Belief) -> str:
        """The weights of the hidden states."""
        return ", ".join(f"{label(self._states[s])}: {integer_text(w)}" for s, w in belief)

    def states(self, belief: Belief) -> tuple[Any, ...]:
        """The hidden states that are possible under a belief."""
        return tuple(self._states[s] for s, _ in belief)

    def weighed(self, belief: Belief) -> Weighed:
        """The hidden states with their weights."""
        return tuple((self._states[s], w) for s, w in belief)

    def kernel(self, state: Hashable, x: Any) -> Kernel:
        """One round of the mechanism from a state that was met."""
        return self._kernel(self._numbers[state], x)

    def met(self, state: Hashable, x: Any) -> Kernel:
        """One round of the mechanism from any state, which counts as met."""
        return self._kernel(self._number(state), x)

    def laws(self) -> Iterable[tuple[object, Pmf[Any]]]:
        """The joint law of visible output and next state, under (state, input)."""
        for (state, x), kernel in self._kernels.items():
            yield (self._states[state], x), from_weights({(v, s): w for v, s, w in kernel.entries})

    def seen(self, belief: Belief, x: Any) -> "BeliefLaw":
        """Every visible output that input x can bring about under a belief, with its mass and the belief after it."""
        outputs = self._pushed.get((belief, x))
        if outputs is None:
            look()
            outputs = self._pushed[belief, x] = self._push(belief, x)
        return outputs

    def _push(self, belief: Belief, x: Any) -> "BeliefLaw":
        kernels = [(weight, self._kernel(state, x)) for state, weight in belief]
        scale = lcm(*(kernel.denominator for _, kernel in kernels))
        masses: dict[Hashable, dict[int, int]] = {}
        for weight, kernel in kernels:
            factor = weight * (scale // kernel.denominator)
            for visible, after, w in kernel.entries:
                by_state = masses.setdefault(visible, {})
                number = self._number(after)
                by_state[number] = by_state.get(number, 0) + factor * w
        beliefs = {v: (sum(by_state.values()), normalised(by_state)) for v, by_state in masses.items()}
        return BeliefLaw(beliefs, scale * sum(weight for _, weight in belief))

    def _kernel(self, state: int, x: Any) -> Kernel:
        kernel = self._kernels.get((state, x))
        if kernel is None:
            kernel = self._kernels[state, x] = self.view.kernel(self._states[state], x)
            self._stepped.add(state)
            if refused := self._ahead.stepped((state, x), len(kernel.entries)):
                for key in self._ahead.steps:  # of a round that is not played; its laws are none of those met
                    del self._kernels[key]
                raise Stopped(refused)
        return kernel

    def foresee(self, beliefs: Iterable[Belief] | None) -> None:
        """Estimates from its first steps what a round comes to; None to estimate nothing."""
        if beliefs is None:
            self._ahead.begin(None)
        else:
            self._ahead.begin(len({state for belief in beliefs for state, _ in belief} - self._stepped))

    def _number(self, state: Hashable) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number


@frozen
class BeliefGame:
    """The paired simulation on beliefs.

    A belief is the law of the hidden state given what was seen. Only its normalised form is kept: how likely a history
    is in either world scales the chain of what follows, and scaling is linear. Source: def:paired_sim.
    """

    view: Hidden
    adjacency: Adjacency[Any]
    horizon: int
    _beliefs: Beliefs = field(init=False, compare=False)

    def __post_init__(self) -> None:
        checked_rounds(self.horizon, self.view.horizon)
        object.__setattr__(self, "_beliefs", Beliefs(self.view))

    @property
    def initial(self) -> BeliefPair:
        """The position before round 1: both beliefs are sure of the initial state."""
        sure = self._beliefs.initial
        return self.adjacency.initial, sure, sure

    def foresee(self, positions: Iterable[BeliefPair] | None) -> None:
        """From here on the work of a round at these positions is estimated; None for no estimate.

        Args:
            positions: Those of the round that comes.
        """
        self._beliefs.foresee(
            None if positions is None else chain.from_iterable((one, other) for _, one, other in positions)
        )

    def moves(self, position: BeliefPair, round_: int, place: Place[BeliefPair]) -> tuple[Move, ...]:
        """One move a legal pair."""
        relation, belief0, belief1 = position
        seen = self._beliefs.seen
        return tuple(
            _released(pair, seen(belief0, pair[0]), seen(belief1, pair[-1]), after, place)
            for pair, after in self.adjacency.legal(relation, round_, self.view.alphabet)
        )

    def describe(self, position: BeliefPair) -> str:
        """Relation state, and in both worlds the weights of the hidden states."""
        relation, *beliefs = position
        return label(relation) + "".join(f" {{{self._beliefs.describe(belief)}}}" for belief in beliefs)

    def states(self, position: BeliefPair) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The states that the mechanism may be in, in world 0 and in world 1."""
        _, belief0, belief1 = position
        return self._beliefs.states(belief0), self._beliefs.states(belief1)

    def weighed(self, position: BeliefPair) -> tuple[Any, Weighed, Weighed]:
        """The relation's state, and the states that the mechanism may be in with their weights, in either world."""
        relation, belief0, belief1 = position
        return relation, self._beliefs.weighed(belief0), self._beliefs.weighed(belief1)

    def kernel(self, state: Any, x: Any) -> Kernel:
        """One round of the mechanism."""
        return self._beliefs.kernel(state, x)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """All that a world can be handed."""
        return inputs_of(self.adjacency, self.view.alphabet)

    def met(self, state: Hashable, x: Any) -> Kernel:
        """One round of the mechanism from any state; the law is one of the laws met."""
        return self._beliefs.met(state, x)

    def believed(self, position: BeliefPair) -> tuple[str, str]:
        """The weights of the hidden states, in world 0 and in world 1."""
        _, belief0, belief1 = position
        return self._beliefs.describe(belief0), self._beliefs.describe(belief1)

    def laws(self) -> Iterable[tuple[object, Pmf[Any]]]:
        """The joint law of visible output and next state, under (state, input)."""
        return self._beliefs.laws()


@frozen(slots=True)
class BeliefLaw:
    """Visible output -> (integer mass, belief after it); the masses sum to `total`."""

    beliefs: dict[Hashable, tuple[int, Belief]]
    total: int


UNSEEN: tuple[int, Belief] = (0, ())
"""The mass of what cannot be seen, and the belief after it."""


def _released(pair: Pair, seen0: BeliefLaw, seen1: BeliefLaw, relation: Hashable, place: Place[BeliefPair]) -> Move:
    """The move of a pair: what is seen in both worlds, and the beliefs after it."""
    look()
    outcomes, over = [], relation is OVER
    others = seen1.beliefs
    for v, (mass0, belief0) in seen0.beliefs.items():
        mass1, belief1 = others.get(v, UNSEEN)
        ends = over or not mass1 or v is HALT
        outcomes.append(Outcome(v, mass0, mass1, END if ends else place((relation, belief0, belief1))))
    outcomes += [Outcome(v, 0, mass1, END) for v, (mass1, _) in others.items() if v not in seen0.beliefs]
    return Move(pair, tuple(outcomes), seen0.total, seen1.total)


def normalised(masses: dict[int, int]) -> Belief:
    """Masses by state number, divided by their common divisor."""
    common = gcd(*masses.values())
    return tuple(sorted((state, mass // common) for state, mass in masses.items()))
