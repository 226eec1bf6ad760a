"""States that are reached, contexts and curves over every horizon: a closure against small machines, in full."""

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from instances.seeds import chosen

from dpcert import Pmf, PowerFunction, bernoulli
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.checklist import closure
from dpcert.audit.checklist.closure import closure as closed
from dpcert.audit.checklist.closure import reachable
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.kernels.view import core_of

Word = tuple[Any, ...]


@dataclass(frozen=True)
class Machine:
    """A core with a state for each number: `after[state][x]`, and a law a state."""

    after: tuple[tuple[int, ...], ...]
    truths: tuple[Fraction, ...]
    initial: int = 0

    @property
    def alphabet(self) -> tuple[int, ...]:
        return tuple(range(len(self.after[0])))

    def advance(self, state: int, x: int) -> int:
        return self.after[state][x]

    def law(self, state: int) -> Pmf[int]:
        return bernoulli(self.truths[state])


def machine(seed: int) -> Machine:
    rng = random.Random(seed)
    after = tuple(tuple(rng.choices(range(4), k=2)) for _ in range(4))
    return Machine(after, tuple(Fraction(rng.randint(0, 3), 3) for _ in range(4)))


def at(made: Machine, inputs: Word) -> int:
    state = 0
    for x in inputs:
        state = made.after[state][x]
    return state


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_states_are_reached_by_the_shortest_inputs(seed: int) -> None:
    made = machine(seed)
    reached = reachable(core_of(made), Budget())
    shortest: dict[int, int] = {}
    for t in range(5):
        for inputs in product((0, 1), repeat=t):
            shortest.setdefault(at(made, inputs), t)
    assert {state: len(inputs) for state, inputs in reached.items()} == shortest
    assert all(at(made, inputs) == state for state, inputs in reached.items())


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_contexts_of_a_closure_lead_where_they_say(seed: int) -> None:
    """Both contexts have one challenge, in one round or after one history, and their laws the two curves."""
    made, curves = machine(seed), Curves()
    found = closed(core_of(made), curves, Budget())
    assert found.open is None
    assert found.states == len(reachable(core_of(made), Budget()))
    for unstable in filter(None, (found.context, found.future)):
        assert unstable.one.challenge == unstable.two.challenge
        assert len(unstable.one.before) == len(unstable.two.before)
        for context, number in zip((unstable.one, unstable.two), unstable.curves, strict=True):
            assert len(context.before) + 1 + len(context.after) == unstable.round
            laws = [made.law(at(made, history)) for history in context.histories()]
            assert PowerFunction.from_laws(*laws) == curves.powers[number]
        assert curves.powers[unstable.curves[0]] != curves.powers[unstable.curves[1]]
    assert found.rounds == max([0, *(u.round for u in (found.context, found.future) if u is not None)])


def first_unstable(made: Machine, rounds: int, *, future: bool) -> int | None:
    """The first round in which one challenge has two curves, over all inputs before it or given them."""
    seen: dict[Any, Any] = {}
    for t in range(1, rounds + 1):
        for w, i, pair in product(product((0, 1), repeat=t), range(t), ((0, 1), (1, 0))):
            if w[i] == 0:
                ends = [at(made, (*w[:i], x, *w[i + 1 :])) for x in pair]
                curve = PowerFunction.from_laws(*map(made.law, ends)).vertices
                if seen.setdefault((w[:i] if future else i, pair, t), curve) != curve:
                    return t
    return None


@pytest.mark.parametrize("seed", chosen(range(60)))
def test_a_closure_finds_the_first_round_that_is_unstable(seed: int) -> None:
    made = machine(seed)
    found = closed(core_of(made), Curves(), Budget())
    for unstable, future in ((found.context, False), (found.future, True)):
        first = first_unstable(made, 4, future=future)
        if first is not None or (unstable is not None and unstable.round <= 4):
            assert unstable is not None
            assert unstable.round == first


@pytest.mark.parametrize(("name", "enough"), [("MOST_STATES", 5), ("MOST_PAIRS", 30)])
def test_a_closure_that_is_too_large_names_its_cap(name: str, enough: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = Machine(((1, 2), (3, 4), (3, 4), (3, 3), (4, 4)), (Fraction(1, 2),) * 5)
    monkeypatch.setattr(closure, name, enough)
    assert closed(core_of(chain), Curves(), Budget()).open is None
    monkeypatch.setattr(closure, name, 4)
    said = closed(core_of(chain), Curves(), Budget()).open
    assert said is not None
    assert name in said


def test_as_many_states_may_begin_rounds_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One begins round 1 and two begin round 2; those of round 3 are these again, so that no more are counted."""
    chain = Machine(((1, 2), (1, 1), (2, 2)), (Fraction(1, 2),) * 3)
    for most, rounds in ((3, 2), (2, 1), (1, 1), (0, 0)):
        monkeypatch.setattr(closure, "MOST_PAIRS", most)
        begun = closure._starts_together(core_of(chain), Budget())
        tracks = [track for _ in range(rounds) for track in [next(iter(begun))]]
        assert [len(track) for track in tracks] == [2] * rounds  # a challenge has either input first
        if rounds == 2:
            assert list(begun) == []
        else:
            with pytest.raises(Stopped, match="states to begin a round in"):
                next(iter(begun))
