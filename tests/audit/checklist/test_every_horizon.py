"""Rungs for every horizon at once, against the finite ladder and against brute force; linear cores; declared hints."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, ClassVar

import pytest
from instances.seeds import chosen

from dpcert import Budget, InvariantPair, Pmf, PowerFunction, bernoulli, examine, from_weights
from dpcert.audit.checklist import additive
from dpcert.audit.checklist.closure import closure
from dpcert.audit.checklist.contexts import Curves
from dpcert.audit.checklist.ladder import RUNGS
from dpcert.audit.commands.cli import run
from dpcert.audit.errors import MechanismError
from dpcert.audit.kernels.view import core_of
from dpcert.mechanisms.binary_tree import BinaryTree
from dpcert.mechanisms.broken.earlier_scale import EarlierScale

LAWS = tuple(bernoulli(Fraction(k, 4)) for k in range(1, 4))
BITS = (0, 1)


@dataclass(frozen=True)
class Machine:
    """A MarkovCore given by tables: the state after (state, x), and the law of each state."""

    after: tuple[tuple[int, int], ...]
    laws: tuple[Pmf[int], ...]
    alphabet: ClassVar[tuple[int, ...]] = BITS
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        return self.after[state][x]

    def law(self, state: int) -> Pmf[int]:
        return self.laws[state]


def random_machine(seed: int) -> Machine:
    generator = Random(seed)
    states = generator.randint(2, 4)
    after = tuple((generator.randrange(states), generator.randrange(states)) for _ in range(states))
    return Machine(after, tuple(generator.choice(LAWS[: generator.randint(1, 3)]) for _ in range(states)))


def stable(machine: Machine, horizon: int, key: Callable[[tuple[int, ...]], Any]) -> bool:
    """Whether each challenge, histories before it told apart by `key` alone, has one curve a round; by enumeration."""
    curves: dict[Any, PowerFunction] = {}
    for t in range(1, horizon + 1):
        for word in product(BITS, repeat=t):
            for i, (a, b) in product(range(t), ((0, 1), (1, 0))):
                laws = []
                for x in (a, b):
                    state = machine.initial
                    for step in (*word[:i], x, *word[i + 1 :]):
                        state = machine.advance(state, step)
                    laws.append(machine.law(state))
                curve = PowerFunction.from_laws(*laws)
                if curves.setdefault((key(word[:i]), a, b, t), curve) != curve:
                    return False
    return True


@pytest.mark.in_turns
def test_closure_agrees_with_enumeration_at_every_horizon() -> None:
    refuted = {"context": 0, "future": 0}
    late = 0
    seeds = chosen(range(300))
    for seed in seeds:
        machine = random_machine(seed)
        found = closure(core_of(machine), Curves(), Budget())
        assert found.open is None
        for name, unstable, key in (("context", found.context, len), ("future", found.future, lambda before: before)):
            if unstable is None:
                assert stable(machine, 6, key)
                continue
            refuted[name] += 1
            late += unstable.round > 2
            assert not stable(machine, unstable.round, key)
            assert unstable.round == 1 or stable(machine, unstable.round - 1, key)
    assert 15 * min(refuted.values()) > len(seeds)
    assert 15 * max(refuted.values()) < 14 * len(seeds)
    assert 30 * late > len(seeds)


def test_witnesses_of_closure_can_be_run() -> None:
    for seed in range(100):
        machine = random_machine(seed)
        found = closure(core_of(machine), Curves(), Budget())
        for unstable in filter(None, (found.context, found.future)):
            curves = []
            for context in (unstable.one, unstable.two):
                laws = []
                for history in context.histories():
                    assert len(history) == unstable.round
                    state = machine.initial
                    for x in history:
                        state = machine.advance(state, x)
                    laws.append(machine.law(state))
                curves.append(PowerFunction.from_laws(*laws))
            assert curves[0] != curves[1]
            assert unstable.one.challenge == unstable.two.challenge
            assert found.future is not unstable or unstable.one.before == unstable.two.before


def late_fault(rounds: int) -> Machine:
    """Answers about x_1 alone; from round `rounds` + 1 on, x_t chooses how much is told.

    State 1 + 2k + b: round k + 1 is done and x_1 = b. The last four states are (b, x_t) of late rounds.
    """
    first = 1 + 2 * rounds

    def state(b: int, k: int) -> int:
        return 1 + 2 * (k - 1) + b

    after: list[tuple[int, int]] = [(state(0, 1), state(1, 1))]
    laws: list[Pmf[int]] = [LAWS[1]]
    for k, b in product(range(1, rounds + 1), BITS):
        laws.append(bernoulli(Fraction(1 + b, 3)))
        after.append((first + 2 * b, first + 2 * b + 1) if k == rounds else (state(b, k + 1),) * 2)
    for b, q in product(BITS, BITS):
        laws.append(bernoulli(((Fraction(1, 2), Fraction(1)), (Fraction(1), Fraction(1, 2)))[b][q]))
        after.append((first + 2 * b, first + 2 * b + 1))
    return Machine(tuple(after), tuple(laws))


def cost(record: Any) -> dict[str, Any]:
    return next(dict(entry) for entry in record["checklist"] if entry["item"] == "STABLE_COST")


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_fault_after_the_horizon_is_found_by_every_horizon(rounds: int) -> None:
    machine = late_fault(rounds)
    at = examine(machine, horizon=rounds)
    assert (cost(at)["verdict"], at.exit_status) == ("HOLDS", 0)
    assert f"over {rounds} round" in at["scope"]["text"]
    past = examine(machine, horizon=rounds + 1)
    assert (cost(past)["verdict"], past["lifts"]["curve"]["verdict"], past.exit_status) == ("REFUTED", "REFUTED", 1)
    every = examine(machine, horizon="inf")
    assert (cost(every)["verdict"], every.exit_status) == ("REFUTED", 1)
    assert every["scope"]["every_horizon"] is True
    assert every["scope"]["horizon"] == max(3, rounds + 1)
    assert {rung["rung"]: rung["witness"].get("round") for rung in cost(every)["rungs"]}["FUTURE_STABLE"] == rounds + 1


def test_a_rung_for_every_horizon_decides_the_curve_by_theorem() -> None:
    record = examine(EarlierScale(), horizon="inf")
    assert (cost(record)["rung"], cost(record)["scope"]) == ("FUTURE_STABLE", "every horizon")
    curve = record["lifts"]["curve"]
    assert (curve["verdict"], curve["scope"]) == ("HOLDS", "every horizon")
    assert "by theorem" in curve["detail"]


def test_every_rung_keeps_its_name_and_two_are_of_every_horizon() -> None:
    rungs = cost(examine(EarlierScale(), horizon="inf"))["rungs"]
    assert tuple(rung["rung"] for rung in rungs) == RUNGS
    assert {rung["rung"] for rung in rungs if rung["scope"] == "every horizon"} == {"CONTEXT_STABLE", "FUTURE_STABLE"}


def test_what_has_no_end_of_states_is_left_open() -> None:
    class Counts:
        alphabet = BITS
        initial = 0

        def advance(self, state: int, x: int) -> int:
            return state + x

        def law(self, state: int) -> Pmf[int]:
            return LAWS[state % 3]

    record = examine(Counts(), horizon="inf")
    assert record.exit_status in (1, 3)
    open_ = [rung for rung in cost(record)["rungs"] if rung["scope"] == "every horizon"]
    assert {rung["verdict"] for rung in open_} == {"UNDECIDED"}
    assert "more than 2000 states" in open_[0]["detail"]


def test_hidden_state_is_a_core_only_within_its_horizon() -> None:
    record = examine_target("shared-coin", "inf")
    assert record == 3


def examine_target(target: str, horizon: str) -> int:
    return run(["audit", target, "--horizon", horizon, "--quiet"])


def test_inf_takes_no_other_adjacency(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "binary-tree", "--horizon", "inf", "--hops", "2"]) == 2
    assert "horizon=inf" in capsys.readouterr().err
    assert run(["audit", "binary-tree", "--horizon", "infinite"]) == 2
    assert run(["audit", "two-round", "--horizon", "inf", "--quiet"]) == 1  # it has two rounds in all


@dataclass(frozen=True)
class Window:
    """A linear core: x_{t-1} + 2 x_t plus noise."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1, 3)

    def weights(self, t: int) -> tuple[int, ...]:
        return (*(0,) * (t - 2), *(1, 2)[-t:])

    def noise_law(self, t: int) -> Pmf[int]:
        return from_weights({-1: 1, 0: 2 + t % 2, 2: 1})


class SameWindow:
    """The same laws, written out."""

    alphabet = (0, 1, 3)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        total = 2 * prefix[-1] + (prefix[-2] if len(prefix) > 1 else 0)
        return from_weights({total - 1: 1, total: 2 + len(prefix) % 2, total + 2: 1})


def by_form(rounds: int) -> str:
    """The scope of additive noise, whose later rounds nobody looked at."""
    answer = "every round in which weights and noise_law answer with whole numbers, the same whenever asked"
    return f"{answer}: looked at in rounds 1 to {rounds}, assumed later"


def test_a_linear_core_has_the_curves_of_its_laws() -> None:
    linear, plain = examine(Window(), horizon=3), examine(SameWindow(), horizon=3)
    for side in ("fixed_stream", "adaptive"):
        assert linear[side]["power"] == plain[side]["power"]
    assert linear["scope"]["positions"] <= plain["scope"]["positions"]
    rungs = {rung["rung"]: (rung["method"], rung["scope"]) for rung in cost(linear)["rungs"]}
    assert rungs["VECTOR"] == rungs["FUTURE_STABLE"] == ("SYMBOLIC", by_form(3))
    assert {rung["rung"]: rung["verdict"] for rung in cost(plain)["rungs"]}["CONTEXT_STABLE"] == "HOLDS"


@pytest.mark.parametrize("target", [BinaryTree(), Window()])
def test_linear_cores_are_certified_for_every_horizon(target: Any) -> None:
    record = examine(target, horizon="inf")
    told = f"rounds 1 to {2**32 - 1}, which progressions tell"
    scope = told if hasattr(target, "progressions") else by_form(64)
    assert (cost(record)["rung"], cost(record)["method"], cost(record)["scope"]) == ("VECTOR", "SYMBOLIC", scope)
    curve = record["lifts"]["curve"]
    assert scope in curve["detail"]
    assert curve["verdict"] == "HOLDS"
    assert record.exit_status == 0


@dataclass
class Told:
    """Rounds that are told at once, up to a last one or for ever."""

    last: int | None
    alphabet: tuple[int, int] = (0, 1)

    def progressions(self) -> tuple[tuple[int, int | None, int, tuple[tuple[int, int, int], ...], Pmf[int]], ...]:
        return ((1, self.last, 1, ((0, 0, 1),), from_weights({0: 2, 1: 1})),)


def test_nothing_is_taken_for_granted_of_rounds_that_are_told_at_once() -> None:
    some = ((last, f"rounds 1 to {last}, which progressions tell") for last in (5, 50, 100))
    for last, scope in ((None, "every horizon"), *some):
        found = cost(examine(Told(last), horizon="inf"))
        assert (found["rung"], found["verdict"], found["scope"]) == ("VECTOR", "HOLDS", scope)
        assert "Assumed" not in found["detail"]
    with pytest.raises(MechanismError, match=r"progressions\(\) to hold round 101 but got none there"):
        examine(Told(100), horizon=101)


def test_a_linear_core_too_large_to_play_is_known_by_theorem() -> None:
    record = examine(BinaryTree(), horizon=1000, budget=Budget(max_positions=200))
    assert record["adaptive"]["tier"] == record["fixed_stream"]["tier"] == "exact"
    assert (record["lifts"]["curve"]["verdict"], record["lifts"]["curve"]["method"]) == ("HOLDS", "SYMBOLIC")


class OneByOne:
    """Sums modulo 3 behind noise that rules nothing out, told round by round."""

    alphabet = (0, 1, 2)
    modulus = 3

    def weights(self, t: int) -> tuple[int, ...]:
        return (1,) * t

    def noise_law(self, t: int) -> Pmf[int]:
        del t
        return from_weights({0: 2, 1: 1, 2: 1})


@pytest.mark.in_turns
def test_one_of_too_many_weights_is_certified_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(additive, "MOST_WEIGHTS", 100)
    record = examine(OneByOne(), horizon=200, budget=Budget(max_positions=200))
    assert record["adaptive"]["tier"] == "enclosed"
    assert (record["lifts"]["curve"]["verdict"], record["lifts"]["curve"]["method"]) == ("HOLDS", "SYMBOLIC")


class Plane:
    """Vectors, modulo 3 in each coordinate."""

    alphabet = ((0, 0), (1, 2))
    modulus = 3

    def weights(self, t: int) -> tuple[int, ...]:
        return (1,) * t

    def noise_law(self, t: int) -> Pmf[tuple[int, int]]:
        del t
        return from_weights({(0, 0): 2, (1, 0): 1, (0, 2): 1})


def test_vectors_add_up_coordinate_by_coordinate() -> None:
    core = core_of(Plane())
    assert core.law(((1, 2), (1, 2))) == from_weights({(2, 1): 2, (0, 1): 1, (2, 0): 1})
    assert {r["method"] for r in cost(examine(Plane(), horizon=2))["rungs"][1:4]} == {"SYMBOLIC"}


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("weights", lambda *_: (1,), "weights(2) to be 2 whole numbers"),
        ("noise_law", lambda *_: {0: 1}, "noise_law to return a Pmf"),
        ("alphabet", (0, (1, 2)), "tuples of them of one length"),
        ("alphabet", ("a", "b"), "whole numbers"),
    ],
)
def test_a_bad_linear_core_is_one_line(member: str, value: Any, words: str) -> None:
    made = type("Bad", (Window,), {member: value})()
    with pytest.raises(Exception, match="Expected") as error:
        examine(made, horizon=2)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


class Declares(SameWindow):
    """Round t adds x_t to noise of a fixed shape."""

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return from_weights({prefix[-1] - 1: 1, prefix[-1]: 2, prefix[-1] + 1: 1})

    def index_set(self, t: int) -> set[int]:
        return {t}

    invariant_pair = InvariantPair(lambda u, v: abs(u - v), lambda u, v: u + v)

    def round_power(self, t: int, distance: int) -> PowerFunction:
        del t
        noise = {k: (1, 2, 1)[k + 1] for k in (-1, 0, 1)}
        return PowerFunction.from_laws(from_weights(noise), from_weights({k + distance: w for k, w in noise.items()}))


def rungs_of(mechanism: Any) -> dict[str, tuple[str, str]]:
    found = cost(examine(mechanism, horizon=2, exp_epsilons=[1]))
    return {rung["rung"]: (rung["verdict"], rung["detail"]) for rung in found["rungs"]}


def test_a_declared_certificate_is_checked() -> None:
    rungs = rungs_of(Declares())
    for name, word in (("SCALAR", "its distance decides"), ("VECTOR", "its distance decides")):
        assert rungs[name][0] == "HOLDS"
        assert "declares was checked" in rungs[name][1]
        assert word in rungs[name][1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"index_set": lambda *_: set()}, "are at distance 0 and have other power functions"),
        ({"index_set": lambda *_: {1}}, "are at distance"),
        ({"round_power": lambda *_: PowerFunction.identity()}, "round_power(1, 1) is not"),
        (
            {
                "invariant_pair": InvariantPair(lambda u, v: abs(u * u - v * v), lambda u, v: u + v),
                "alphabet": BITS,
                "round_power": None,
            },
            "common inputs change the distance",
        ),
    ],
)
def test_a_declared_certificate_that_does_not_fit_is_named(changed: dict[str, Any], words: str) -> None:
    rungs = rungs_of(type("Wrong", (Declares,), changed)())
    for name in ("SCALAR", "VECTOR"):
        verdict, detail = rungs[name]
        assert verdict == "HOLDS"  # found without it
        assert "does not fit" in detail
        assert words in detail


def test_a_declared_difference_serves_the_second_rung_only() -> None:
    lopsided = type(
        "Lopsided",
        (Declares,),
        {
            "law": lambda _, prefix: from_weights({prefix[-1]: 2, prefix[-1] + 1: 1}),
            "invariant_pair": InvariantPair(lambda u, v: u - v, lambda u, v: u + v),
            "round_power": None,
        },
    )()
    rungs = rungs_of(lopsided)
    assert rungs["SCALAR"][0] == "REFUTED"
    assert rungs["VECTOR"][0] == "HOLDS"
    assert "its difference decides" in rungs["VECTOR"][1]


@pytest.mark.parametrize(
    "changed",
    [{"index_set": lambda *_: {0}}, {"index_set": None}, {"round_power": lambda *_: Fraction(1)}],
)
def test_hints_of_another_kind_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="Expected") as error:
        examine(type("Bad", (Declares,), changed)(), horizon=2)
    assert "\n" not in str(error.value)
