"""Small parts of the checklist: what is published, where two curves differ, what halts, and what is said of a pair."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from dpcert import HALT, Budget, Draw, InvariantPair, Pmf, PowerFunction, Published, Release, bernoulli, point
from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist import by_form, declared
from dpcert.audit.checklist.by_form import TIME_INDEXED, symbolic
from dpcert.audit.checklist.contexts import Context, Curves
from dpcert.audit.checklist.fresh import freshness
from dpcert.audit.checklist.hints import hints_of
from dpcert.audit.checklist.ladder import EVERY_HORIZON, RUNGS, _difference, _in_words
from dpcert.audit.checklist.publishing import publishes, with_values
from dpcert.audit.finding import Verdict
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.published import publisher_of
from dpcert.audit.kernels.view import core_of, view_of


class Says:
    """Releases what a function makes of a noisy input."""

    alphabet = (0, 1)
    initial = 0

    def __init__(self, made: Any) -> None:
        self.made = made

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, None], int]:
        return Release(self.made(state, x, draw(bernoulli(Fraction(1 + x, 4))))), state + 1


def hidden(made: Any) -> Hidden:
    view = view_of(Says(made))
    assert isinstance(view, Hidden)
    return view


def test_something_is_published_where_any_release_of_the_first_round_has_two_parts() -> None:
    assert publishes(hidden(lambda _s, x, y: Published(y, x)), (0, 1))
    assert publishes(hidden(lambda _s, x, y: Published(y, x) if x == 1 else y), (0, 1))
    assert publishes(hidden(lambda _s, x, y: Published(y, x) if y else HALT), (0, 1))
    assert not publishes(hidden(lambda _s, x, y: Published(y, x) if x == 1 else y), (0,))
    assert not publishes(hidden(lambda _s, _x, y: y), (0, 1))
    assert not publishes(hidden(lambda state, x, y: Published(y, x) if state else y), (0, 1))


class Announces(Says):
    """Publishes how many releases there were beside each of them."""

    def publish(self, core: tuple[Any, ...]) -> int:
        return len(core)


def test_what_is_published_stands_beside_the_releases_of_the_same_states() -> None:
    mechanism = Announces(lambda state, x, y: (state, x, y))
    view = view_of(mechanism)
    publisher = publisher_of(mechanism, "Announces")
    assert publisher is not None
    whole = with_values(mechanism, view, publisher)
    state, plain = whole.initial, view.initial
    for rounds, x in enumerate((1, 0, 1), 1):
        seen = {(y.core, y.value): w for y, _, w in whole.kernel(state, x).entries}
        assert seen == {(y, rounds): w for y, _, w in view.kernel(plain, x).entries}
        state, plain = whole.kernel(state, x).entries[0][1], view.kernel(plain, x).entries[0][1]


@pytest.mark.parametrize("seed", range(12))
def test_two_curves_that_differ_do_so_at_a_slope_that_is_shown_with_both_values(seed: int) -> None:
    rng = Random(seed)
    laws = [
        Pmf({y: Fraction(w, 12) for y, w in enumerate(rng.choice(((1, 2, 9), (4, 4, 4), (6, 5, 1))))}) for _ in range(4)
    ]
    curves = Curves()
    f, g = (curves.number(PowerFunction.from_laws(*pair)) for pair in (laws[:2], laws[2:]))
    shown = _difference(curves, f, g)
    assert bool(shown) is (f != g)
    if shown:
        e, order = Fraction(shown["exp_epsilon"]), shown["order"]
        values = [curves.powers[number].hockey_stick(e, order) for number in (f, g)]
        assert values[0] != values[1]
        assert shown["deltas"] == [text(value) for value in values]


def test_a_context_is_said_by_its_two_histories() -> None:
    assert _in_words(Context((0,), (0, 1), (1, 1))) == "(0, 0, 1, 1) against (0, 1, 1, 1)"


# --- fresh randomness and HALT


def test_what_may_halt_is_no_core_and_what_always_does_is_one() -> None:
    finding, core = freshness(hidden(lambda _s, _x, y: HALT if y else 0), (0, 1), 2, Budget())
    assert (finding.verdict, core) == (Verdict.REFUTED, None)
    assert finding.witness is not None
    assert finding.witness["round"] == 2
    assert len(set(finding.witness["laws"])) == 2
    assert any("HALT" in law for law in finding.witness["laws"])
    finding, core = freshness(hidden(lambda *_: HALT), (0, 1), 3, Budget())
    assert finding.verdict is Verdict.HOLDS
    assert core is not None
    first = core.advance(core.initial, 0)
    assert core.law(first) == core.law(core.advance(first, 1)) == point(HALT)
    assert core.describe(first) == "{halted}"


def test_a_release_of_one_law_whatever_was_released_is_a_core() -> None:
    finding, core = freshness(hidden(lambda state, _x, y: (state, y)), (0, 1), 2, Budget())
    assert finding.verdict is Verdict.HOLDS
    assert core is not None
    state = core.advance(core.advance(core.initial, 0), 1)
    assert dict(core.law(state).items()) == {(1, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}
    assert core.describe(state) != "{halted}"
    assert core.describe(state).startswith("{")


# --- declared pairs


class Silent:
    """Says nothing about its inputs, and declares a distance of their sums."""

    alphabet = (0, 1, 2)

    def __init__(self, distance: Any) -> None:
        self.invariant_pair = InvariantPair(distance, lambda u, v: u + v)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        del prefix
        return bernoulli(Fraction(1, 2))

    def index_set(self, t: int) -> range:
        return range(1, t + 1)


def note(distance: Any) -> tuple[bool, bool, str]:
    core = Silent(distance)
    hints = hints_of(core)
    assert hints is not None
    found = declared.declared(core_of(core), hints, 2, Curves(), Budget())
    return found.shape is not None, found.scalar, found.note


def test_a_distance_that_is_no_metric_is_a_difference_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert note(lambda u, v: abs(u - v)) == (True, True, "")
    assert note(lambda u, v: (u - v,)) == (True, False, "")  # no number, so a difference
    for distance, why in (
        (lambda u, v: u - v, "it is no metric, -1 from 0 to 1 and 1 back"),
        (lambda u, v: (u - v) ** 2, "it is no metric, 4 from 0 to 2 and less by way of 1"),
        (lambda *_: 0, "it is no metric, 0 from 0 to 1 and 0 back"),
    ):
        assert note(distance) == (True, False, f"The distance that it declares is not used: {why}.")
    fits, scalar, said = note(lambda u, v: abs(u * u - v * v))
    assert (fits, scalar) == (False, False)
    assert said.startswith("The certificate that it declares does not fit: common inputs change the distance")
    monkeypatch.setattr(declared, "MOST_TRIPLES", 5**3)
    assert note(lambda u, v: abs(u - v))[1]
    monkeypatch.setattr(declared, "MOST_TRIPLES", 5**3 - 1)
    assert "MOST_TRIPLES" in note(lambda u, v: abs(u - v))[2]
    monkeypatch.setattr(declared, "law_classes", lambda *_: None)
    fits, scalar, said = note(lambda u, v: abs(u - v))
    assert (fits, scalar) == (False, False)
    assert said.startswith("The certificate that it declares was not checked: there are too many histories in round 1")


# --- by form


class Weighted:
    """A weighted sum behind noise."""

    alphabet = (0, 1)

    def __init__(self, *weights: tuple[int, ...]) -> None:
        self.of = weights

    def weights(self, t: int) -> tuple[int, ...]:
        return self.of[t - 1]

    def noise_law(self, t: int) -> Pmf[int]:
        del t
        return bernoulli(Fraction(1, 3))


@pytest.mark.parametrize(
    ("weights", "differ"),
    [
        (((1,), (1, 1)), False),
        (((2,), (0, 3)), False),
        (((1,), (1, 2)), True),
        (((1,), (1, 0)), False),
        (((0,), (0, 0)), False),
    ],
)
def test_where_weights_differ_a_difference_is_of_messages_by_their_round(
    weights: tuple[tuple[int, ...], ...], differ: bool
) -> None:
    core = core_of(Weighted(*weights))
    assert by_form._weights_differ(core, 2) is differ
    rungs = symbolic(core, 2)
    assert [rung.name for rung in rungs] == list(RUNGS[1:4])
    assert [TIME_INDEXED in rung.finding.detail for rung in rungs] == [differ, False, False]
    assert all(rung.every_horizon and rung.finding.verdict is Verdict.HOLDS for rung in rungs)
    assert all("looked at in rounds 1 to 2, assumed later" in rung.finding.scope for rung in rungs)
    assert "looked at in round 1, assumed later" in symbolic(core, 1)[0].finding.scope
    rising = symbolic(core, 2, rises=True)
    assert [rung.name for rung in rising] == list(RUNGS[:4])
    assert rising[0].every_horizon
    assert rising[0].finding.scope == "rounds 1 to 2"
    assert EVERY_HORIZON not in rising[0].finding.scope
