"""Brute-force values of the two-world game for mechanisms with hidden state: obviously right, not fast.

An interactive mechanism has `initial` and `step(state, x, draw) -> (release, next_state)`, where
`draw(pmf)` is the only source of randomness.  In round t the adversary, having seen the visible outputs
v_1..v_{t-1} only, submits a move; world 0 receives its first component and world 1 its last one.
Each world runs the mechanism on its own inputs with its own hidden state.  A visible output that *is*
the object `halt` ends the interaction; the observer sees it.  Order "0-1" scores a visible transcript
max(0, P0 - A*P1); order "1-0" swaps the worlds.

Only `release.visible` is used.  Visible outputs, states and inputs must be hashable and are compared by
`==`, so 1, True and Fraction(1) are one value; only `halt` is recognised by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from numbers import Rational
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from oracles.paired import ONE, ZERO, Law, Legal, Order, Pairs, Transcript, check_query, hamming, score

T = TypeVar("T")
State: TypeAlias = Any  # any hashable hidden state
Symbol: TypeAlias = Any  # any hashable input
Visible: TypeAlias = Any  # any hashable visible output
Draw: TypeAlias = Callable[[Any], Any]  # takes a law with `items()`, returns one of its outcomes
Move: TypeAlias = tuple[Symbol, ...]  # (x0, x1), or (x^0, ..., x^k) when there are k hops
Moves: TypeAlias = tuple[Move, ...]
Mass: TypeAlias = dict[State, Fraction]  # P(visible transcript so far, hidden state now), unnormalised
StepLaw: TypeAlias = dict[tuple[Visible, State], Fraction]
Strategy: TypeAlias = dict[Transcript, Move]

NEVER = object()  # default `halt`: no visible output is this object


class Interactive(Protocol):
    """Mechanism with hidden state."""

    @property
    def initial(self) -> State:
        """Hidden state before the first round."""

    def step(self, state: State, x: Symbol, draw: Draw) -> tuple[Any, State]:
        """The round's release, which has an attribute `visible`, and the next hidden state."""


# ---------------------------------------------------------------- legal moves


def unit_hamming(pairs: Pairs) -> bool:
    """Whether at most one round has two different inputs, and these differ by exactly 1."""
    return hamming(pairs) and all(abs(x0 - x1) == 1 for x0, x1 in pairs if x0 != x1)


def zero_out(null: Symbol, null_elsewhere: bool = True) -> Legal:
    """Predicate: world 1 gets `null` instead of a real input in at most one round; else the inputs agree.

    `null_elsewhere` tells whether the other rounds may give `null` to both worlds.
    """

    def legal(pairs: Pairs) -> bool:
        replaced = all(x1 == null for x0, x1 in pairs if x0 != x1)
        return hamming(pairs) and replaced and (null_elsewhere or all(x0 != null for x0, _ in pairs))

    return legal


@dataclass(frozen=True)
class Hops:
    """Moves (x^0, ..., x^count) whose consecutive components are legal; only the ends are compared."""

    legal: Legal
    count: int

    def allow(self, moves: Moves) -> bool:
        """Whether every two consecutive components of `moves` are legal."""
        links = [tuple((move[i], move[i + 1]) for move in moves) for i in range(self.count)]
        return all(self.legal(pairs) for pairs in links)


def hops(legal: Legal, k: int) -> Hops:
    """The k-hop game: the adversary names the intermediate inputs round by round as well."""
    if k < 1:
        raise ValueError("need at least one hop")
    return Hops(legal, k)


def as_hops(legal: Legal | Hops) -> Hops:
    """The same game, with an ordinary predicate read as one hop."""
    return legal if isinstance(legal, Hops) else Hops(legal, 1)


def legal_next(alphabet: tuple[Symbol, ...], legal: Legal | Hops, history: Moves) -> list[Move]:
    """All moves that may legally follow `history`; raises when there is none."""
    return list(_legal_next(alphabet, legal, history))


@cache
def _legal_next(alphabet: tuple[Symbol, ...], legal: Legal | Hops, history: Moves) -> tuple[Move, ...]:
    chain = as_hops(legal)
    moves = [move for move in product(alphabet, repeat=chain.count + 1) if chain.allow((*history, move))]
    if not moves:
        raise ValueError("a legal history has no legal continuation")
    return tuple(moves)


def streams(alphabet: tuple[Symbol, ...], horizon: int, legal: Legal | Hops) -> list[Moves]:
    """All sequences of `horizon` moves, chosen in advance, whose every prefix is legal."""
    if horizon == 0:
        return [()]
    shorter = streams(alphabet, horizon - 1, legal)
    return [(*moves, move) for moves in shorter for move in legal_next(alphabet, legal, moves)]


def received(move: Move, world: int) -> Symbol:
    """Input that one world receives."""
    return move[0] if world == 0 else move[-1]


# ---------------------------------------------------------------- randomness


def check_law(masses: list[Any]) -> None:
    """Nothing; raises when these are not the exact probabilities of a law."""
    if not all(isinstance(mass, Rational) for mass in masses):
        raise TypeError("probabilities must be exact rationals")
    if any(mass < 0 for mass in masses) or sum(masses) != 1:
        raise ValueError("a law must be nonnegative and sum to 1")


@dataclass
class Tape:
    """Answers draws by the outcome numbers in `script`, then by outcome 0, noting the scripts not tried."""

    script: tuple[int, ...]
    taken: tuple[int, ...] = ()
    mass: Fraction = ONE
    untried: list[tuple[int, ...]] = field(default_factory=list)

    def draw(self, pmf: Any) -> Any:
        """The scripted outcome of `pmf`, which is checked when it is met for the first time."""
        outcomes = [(outcome, mass) for outcome, mass in pmf.items() if mass != 0]
        number = 0
        if len(self.taken) < len(self.script):
            number = self.script[len(self.taken)]
        else:
            check_law([mass for _, mass in outcomes])
            self.untried += [(*self.taken, other) for other in range(1, len(outcomes))]
        outcome, mass = outcomes[number]
        self.taken = (*self.taken, number)
        self.mass *= mass
        return outcome


def every_run(program: Callable[[Draw], T]) -> Iterator[tuple[T, Fraction]]:
    """Result and probability of `program(draw)` for every sequence of draws, each sequence once."""
    pending: list[tuple[int, ...]] = [()]
    while pending:
        tape = Tape(pending.pop())
        result = program(tape.draw)
        if len(tape.taken) < len(tape.script):
            raise ValueError("the program is random beyond its draws")
        pending += tape.untried
        yield result, tape.mass


def step_law(mechanism: Interactive, state: State, x: Symbol) -> StepLaw:
    """Joint law of (visible output, next hidden state) of one step."""
    law: StepLaw = {}
    for (release, state_after), mass in every_run(lambda draw: mechanism.step(state, x, draw)):
        outcome = (release.visible, state_after)
        law[outcome] = law.get(outcome, ZERO) + mass
    return law


@lru_cache(maxsize=256)
def cached_step_law(mechanism: Interactive) -> Callable[[State, Symbol], StepLaw]:
    """`step_law` of one mechanism, with each law computed once."""

    @cache
    def law(state: State, x: Symbol) -> StepLaw:
        return step_law(mechanism, state, x)

    return law


# ---------------------------------------------------------------- values from joint masses


def split(law: Callable[[State, Symbol], StepLaw], masses: Mass, x: Symbol) -> dict[Visible, Mass]:
    """For every visible output of the next round, the joint masses after it in one world."""
    after: dict[Visible, Mass] = {}
    for state, mass in masses.items():
        for (visible, state_after), chance in law(state, x).items():
            branch = after.setdefault(visible, {})
            branch[state_after] = branch.get(state_after, ZERO) + mass * chance
    return after


def split_both(
    law: Callable[[State, Symbol], StepLaw], mass0: Mass, mass1: Mass, move: Move
) -> list[tuple[Visible, Mass, Mass]]:
    """Every visible output possible in some world, with both worlds' joint masses after it."""
    after0, after1 = split(law, mass0, received(move, 0)), split(law, mass1, received(move, 1))
    return [(v, after0.get(v, {}), after1.get(v, {})) for v in dict.fromkeys([*after0, *after1])]


class Node(NamedTuple):
    """The probability of a visible transcript in either world, and what may follow each legal move, if it goes on."""

    mass0: Fraction
    mass1: Fraction
    following: tuple[tuple[Node, ...], ...] = ()


def node_of(mass0: Mass, mass1: Mass, following: Iterable[tuple[Node, ...]] = ()) -> Node:
    """The transcript at which the two worlds have these joint masses."""
    return Node(sum(mass0.values(), ZERO), sum(mass1.values(), ZERO), tuple(following))


@lru_cache(maxsize=16)
def tree(mechanism: Interactive, alphabet: tuple[Symbol, ...], horizon: int, legal: Legal | Hops, halt: object) -> Node:
    """Every visible transcript after every legal history, from the empty one: one tree for all weights and orders."""
    law = cached_step_law(mechanism)

    def node(history: Moves, mass0: Mass, mass1: Mass) -> Node:
        if len(history) == horizon:
            return node_of(mass0, mass1)
        moves = legal_next(alphabet, legal, history)
        return node_of(mass0, mass1, (playing((*history, move), mass0, mass1) for move in moves))

    def playing(history: Moves, mass0: Mass, mass1: Mass) -> tuple[Node, ...]:
        return tuple(
            node_of(after0, after1) if visible is halt else node(history, after0, after1)
            for visible, after0, after1 in split_both(law, mass0, mass1, history[-1])
        )

    return node((), {mechanism.initial: ONE}, {mechanism.initial: ONE})


def hidden_tree_hockey_stick(
    mechanism: Interactive,
    alphabet: tuple[Symbol, ...],
    horizon: int,
    legal: Legal | Hops,
    exp_epsilon: Fraction,
    order: Order,
    halt: object = NEVER,
) -> Fraction:
    """Adaptive hockey stick, choosing the best legal move, or to stop, separately at every transcript."""
    check_query(horizon, exp_epsilon, order)

    def best(node: Node) -> Fraction:
        stopping = score(node.mass0, node.mass1, exp_epsilon, order)
        return max([stopping, *(sum(map(best, after), ZERO) for after in node.following)])

    return best(tree(mechanism, alphabet, horizon, legal, halt))


def hidden_fixed_hockey_stick(
    mechanism: Interactive,
    alphabet: tuple[Symbol, ...],
    horizon: int,
    legal: Legal | Hops,
    exp_epsilon: Fraction,
    order: Order,
    halt: object = NEVER,
) -> Fraction:
    """Non-adaptive hockey stick, as a maximum over all legal sequences of moves chosen in advance."""
    check_query(horizon, exp_epsilon, order)
    listed = fixed_streams(mechanism, alphabet, horizon, legal, halt)
    return max(sum((score(n.mass0, n.mass1, exp_epsilon, order) for n in complete), ZERO) for complete in listed)


@lru_cache(maxsize=16)
def fixed_streams(
    mechanism: Interactive, alphabet: tuple[Symbol, ...], horizon: int, legal: Legal | Hops, halt: object
) -> tuple[tuple[Node, ...], ...]:
    """The complete transcripts of every legal sequence of moves chosen in advance."""
    law = cached_step_law(mechanism)

    def complete(moves: Moves) -> tuple[Node, ...]:
        running = {(): ({mechanism.initial: ONE}, {mechanism.initial: ONE})}
        ended: dict[Transcript, tuple[Mass, Mass]] = {}
        for move in moves:
            longer: dict[Transcript, tuple[Mass, Mass]] = {}
            for view, (mass0, mass1) in running.items():
                for visible, after0, after1 in split_both(law, mass0, mass1, move):
                    views = ended if visible is halt else longer
                    views[(*view, visible)] = (after0, after1)
            running = longer
        return tuple(node_of(*masses) for masses in [*ended.values(), *running.values()])

    return tuple(complete(moves) for moves in streams(alphabet, horizon, legal))


# ---------------------------------------------------------------- values from whole runs


def play(mechanism: Interactive, strategy: Strategy, horizon: int, world: int, halt: object, draw: Draw) -> Transcript:
    """Visible transcript of one whole interaction in one world."""
    state = mechanism.initial
    view: Transcript = ()
    for _ in range(horizon):
        release, state = mechanism.step(state, received(strategy[view], world), draw)
        view = (*view, release.visible)
        if release.visible is halt:
            break
    return view


def run_law(mechanism: Interactive, strategy: Strategy, horizon: int, world: int, halt: object) -> Law:
    """Law of the visible transcript in one world, summed over all draw sequences of the whole run."""
    law: Law = {}
    for view, mass in every_run(lambda draw: play(mechanism, strategy, horizon, world, halt, draw)):
        law[view] = law.get(view, ZERO) + mass
    return law


def run_laws(mechanism: Interactive, strategy: Strategy, horizon: int, halt: object) -> tuple[Law, Law]:
    """Both worlds' laws of the visible transcript."""
    law0, law1 = (run_law(mechanism, strategy, horizon, world, halt) for world in (0, 1))
    return law0, law1


def strategies(
    mechanism: Interactive, alphabet: tuple[Symbol, ...], horizon: int, legal: Legal | Hops, halt: object
) -> Iterator[Strategy]:
    """Every deterministic adaptive adversary, as its move after each reachable transcript that goes on."""
    if horizon == 0:
        yield {}
        return
    for partial in strategies(mechanism, alphabet, horizon - 1, legal, halt):
        law0, law1 = run_laws(mechanism, partial, horizon - 1, halt)
        going_on = [view for view in dict.fromkeys([*law0, *law1]) if not (view and view[-1] is halt)]
        histories = [tuple(partial[view[:t]] for t in range(horizon - 1)) for view in going_on]
        for choices in product(*(legal_next(alphabet, legal, history) for history in histories)):
            yield partial | dict(zip(going_on, choices, strict=True))


def seed_oracle(
    mechanism: Interactive,
    alphabet: tuple[Symbol, ...],
    horizon: int,
    legal: Legal | Hops,
    exp_epsilon: Fraction,
    order: Order,
    halt: object = NEVER,
) -> Fraction:
    """Adaptive hockey stick, as a maximum over all deterministic adversaries, each run on all draw sequences.

    There are no joint masses here, and no early stopping, which never helps.
    """
    check_query(horizon, exp_epsilon, order)

    def value(strategy: Strategy) -> Fraction:
        law0, law1 = run_laws(mechanism, strategy, horizon, halt)
        views = dict.fromkeys([*law0, *law1])
        return sum((score(law0.get(v, ZERO), law1.get(v, ZERO), exp_epsilon, order) for v in views), ZERO)

    return max(value(strategy) for strategy in strategies(mechanism, alphabet, horizon, legal, halt))
