"""What is read of a publisher's code, held against all that it publishes; and what mechanisms leave behind for it."""

# ruff: noqa: ARG002, ARG005 - what methods leave alone is part of what is tried

import linecache
from fractions import Fraction
from random import Random
from typing import Any, ClassVar

import pytest

from dpcert import Budget, DpcertError, Draw, Pmf, Release, bernoulli
from dpcert.audit.checklist import publishing
from dpcert.audit.checklist.subject import subject_of
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING
from tests.instances.seeds import chosen

COIN = bernoulli(Fraction(1, 2))
CLEAN = (
    "sum(core)", "core[-1]", "len(core)", "LIMIT", "self.scale", "halved(core)", "self.last(core)", "self.twice",
    "max(core)", "sum(y * self.scale for y in core)", "[y for y in core if y < LIMIT].count(1)",
    "sorted(core, key=lambda y: -y)[0]",
)  # fmt: skip
LEAKS = ("self.left", "LEFT", "KEPT[-1]", "told()", "self.kept[-1]", "marked.count()", "self.shown")
JOINED = ("({} + {})", "({} * {})", "max({}, {})", "({} if {} > 1 else 2)")
MODULE = """
LIMIT, LEFT, KEPT = 2, 0, [0]

def halved(core):
    return sum(core) // LIMIT

def told(kept=[0]):
    return kept[-1]

def marked():
    return 0

class Mechanism:
    alphabet, scale, left, kept, initial = (0, 1), 3, 0, [0], 0

    @property
    def twice(self):
        return 2 * self.scale

    @property
    def shown(self):
        return self.left

    def last(self, core):
        return core[-1] + self.scale

    def leave(self, x):
        global LEFT
        self.left = LEFT = KEPT[0] = self.kept[0] = told.__defaults__[0][0] = x
        marked.count = lambda: x

    def publish(self, core):
        return {expression}
"""
KINDS = (
    """
    def law(self, prefix):
        self.leave(prefix[-1])
        return coin(prefix[-1])
""",
    """
    def advance(self, state, x):
        self.leave(x)
        return x

    def law(self, state):
        return coin(state)
""",
    """
    def step(self, state, x, draw):
        y = draw(coin(x))
        self.leave(x ^ y)
        return Release(y), state
""",
)


def found(mechanism: Any, horizon: int, most: int | None = None) -> Finding:
    """POST_PROCESSING, with as many executions compared as that."""
    with pytest.MonkeyPatch.context() as patch:
        if most is not None:
            patch.setattr(publishing, "MOST_EXECUTIONS", most)
        subject = subject_of(mechanism, view_of(mechanism), HAMMING, horizon, Budget())
    return subject.findings[Item.POST_PROCESSING]


def read(mechanism: Any, horizon: int = 3) -> Finding:
    """The same where all executions are too many, so that the code is read."""
    return found(mechanism, horizon, most=0)


def written(random: Random, leaks: int) -> str:
    """An expression of the grammar, with so many leaks in it."""
    terms = [*random.choices(CLEAN, k=random.randint(1, 3)), *random.choices(LEAKS, k=leaks)]
    random.shuffle(terms)
    while len(terms) > 1:
        terms.append(random.choice(JOINED).format(terms.pop(), terms.pop()))
    return terms[0]


def mechanism_of(expression: str, kind: str, patch: pytest.MonkeyPatch) -> Any:
    """A new mechanism that publishes an expression, from a text that stands where files are looked up."""
    text = MODULE.format(expression=expression) + kind
    patch.setitem(linecache.cache, "<publisher>", (len(text), None, text.splitlines(keepends=True), "<publisher>"))
    names: dict[str, Any] = {"coin": lambda x: bernoulli(Fraction(1 + x, 3)), "Release": Release}
    exec(compile(text, "<publisher>", "exec"), names)
    return names["Mechanism"]()


def test_publishers_whose_code_is_read_publish_a_function_of_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: set[tuple[bool, Verdict, Verdict]] = set()
    for seed in chosen(range(64)):
        random = Random(seed)
        leaks = random.choice((0, 0, 1, 2))
        kind = random.choice(KINDS)
        expression, horizon = written(random, leaks), random.randint(2, 3)
        verdicts = [ask(mechanism_of(expression, kind, monkeypatch), horizon).verdict for ask in (read, found)]
        assert verdicts[0] is not Verdict.HOLDS or verdicts[1] is Verdict.HOLDS, (seed, expression)
        assert leaks or verdicts == [Verdict.HOLDS] * 2, (seed, expression)
        kinds.add((leaks > 0, verdicts[0], verdicts[1]))
    assert (False, Verdict.HOLDS, Verdict.HOLDS) in kinds
    assert (True, Verdict.UNDECIDED, Verdict.REFUTED) in kinds


@pytest.mark.parametrize("leak", LEAKS)
def test_each_leak_alone_is_met(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(mechanism_of(leak, KINDS[0], monkeypatch), 1).verdict is Verdict.UNDECIDED


class Summing:
    """Any mechanism on bits that publishes the sum of its core."""

    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    left: int = 0

    def publish(self, core: tuple[int, ...]) -> int:
        """The sum so far, and what was left behind."""
        return sum(core) + self.left


class ByPrefix(Summing):
    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(Fraction(1 + prefix[-1], 3))


class ByState(Summing):
    initial: ClassVar[int] = 0

    def advance(self, state: int, x: int) -> int:
        return state ^ x

    def law(self, state: int) -> Pmf[int]:
        return bernoulli(Fraction(1 + state, 3))


class Linear(Summing):
    def weights(self, t: int) -> tuple[int, ...]:
        return (1,) * t

    def noise_law(self, t: int) -> Pmf[int]:
        return COIN


class BySteps(Summing):
    initial: ClassVar[int] = 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        coin = draw(COIN)
        return Release(x ^ coin ^ state), coin


@pytest.mark.parametrize("kind", [ByPrefix, ByState, Linear, BySteps])
def test_a_sum_is_read_of_every_kind_of_mechanism(kind: type[Any]) -> None:
    finding = read(kind())
    assert (finding.verdict, finding.method) == (Verdict.HOLDS, Method.BY_CONSTRUCTION)
    assert found(kind(), 3).method is Method.EXHAUSTIVE


@pytest.mark.parametrize("kind", [ByState, BySteps])
def test_a_sum_over_many_rounds_is_read(kind: type[Any]) -> None:
    assert found(kind(), 20).verdict is Verdict.HOLDS


class FirstOfAll(ByPrefix):
    """Keeps the first input that it ever met, so that whoever asks first sees it change and no one later."""

    base: int | None = None

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        if self.base is None:
            self.base = prefix[0]
        return COIN

    def publish(self, core: tuple[int, ...]) -> Any:
        return self.base


class FirstInput(ByState):
    """Keeps the input of round 1; what follows a state was asked for before."""

    def advance(self, state: int, x: int) -> int:
        if state == 0:
            self.left = x
        return 1


class LastCoin(BySteps):
    """The last of the draws that are tried leaves everything as it was."""

    left = 1

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        self.left = draw(COIN)
        return Release(x ^ self.left), 0


class Rebound(ByPrefix):
    """Its publish is another one from the first law on."""

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        vars(self)["publish"] = lambda core: prefix[0]
        return COIN


class NowAndThen(ByState):
    """Leaves something behind in a state that is met in round 3 alone."""

    def advance(self, state: int, x: int) -> int:
        return state + 1

    def law(self, state: int) -> Pmf[int]:
        self.left = int(state > 2)
        return COIN


class Formatted(ByPrefix):
    """Releases texts that write out whatever they are given."""

    def law(self, prefix: tuple[int, ...]) -> Any:
        return COIN.map(lambda y: "%s" * y)

    def publish(self, core: tuple[Any, ...]) -> Any:
        return core[-1] % ((self.publish,) if core[-1] else ())


class LateLaw(Pmf[int]):
    """A law that leaves something behind when it is looked into."""

    holder: ClassVar[Any] = None

    def token_weights(self) -> Any:
        self.holder.left = self.holder.met
        return super().token_weights()


class Late(ByPrefix):
    """What its laws leave behind is mended by the next law, before all of a round are looked into."""

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        LateLaw.holder, self.met = self, int(prefix == (0,))
        return LateLaw({0: Fraction(1, 2), 1: Fraction(1, 2)})


LEAVING = (Late, FirstOfAll, FirstInput, LastCoin, Rebound, NowAndThen, Formatted)


@pytest.mark.parametrize("kind", LEAVING)
def test_what_a_mechanism_leaves_behind_is_met(kind: type[Any]) -> None:
    assert read(kind()).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("kind", [FirstOfAll, FirstInput, LastCoin])
def test_comparing_all_executions_does_not_miss_what_is_left_behind_either(kind: type[Any]) -> None:
    assert found(kind(), 2).verdict is not Verdict.HOLDS


def test_laws_past_a_limit_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MOST_STATES_ASKED", 3)
    assert "MOST_STATES_ASKED" in read(ByState()).detail
    with pytest.raises(DpcertError):
        found(ByPrefix(), 0)
