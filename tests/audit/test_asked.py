"""What is asked for, over which rounds, and what the first words say: exit statuses over a grid, and the badge."""

import itertools
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from instances.seeds import spread

from dpcert import HALT, ArgumentError, Budget, Draw, Pmf, Release, bernoulli, examine, point
from dpcert.audit.commands.cli import run
from dpcert.audit.finding import Verdict
from dpcert.audit.render.text import summary
from dpcert.audit.verdicts.guarantee import proven_delta
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta
from dpcert.mechanisms.design.paper import RandBinPaper
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse

F = Fraction

ASKED = {
    "delta": Requirements((required_delta("2:1/2"),)),
    "pure": Requirements((claim("eps=2"),)),
    "mu": Requirements((claim("mu=3"),)),
    "rho": Requirements((claim("rho=2"),)),
    "no gap": Requirements(no_gap=True),
    "certified": Requirements(certified=True),
}
"""All of them hold for randomised response, at any horizon."""


class Plain:
    """The input in the clear from a round on, a constant before."""

    since = 1
    alphabet = (0, 1)
    initial = (0, 0)

    def advance(self, state: tuple[int, int], x: int) -> tuple[int, int]:
        return (state[0] + 1 if state[0] < self.since else self.since), x

    def law(self, state: tuple[int, int]) -> Pmf[int]:
        return point(state[1] if state[0] == self.since else 0)


class Later(Plain):
    """From round 4 on."""

    since = 4


class Alone(RandomizedResponse):
    """One input: no two streams differ."""

    alphabet = (0,)


class Limited(RandomizedResponse):
    """With a horizon of its own."""

    horizon = 2


@pytest.mark.parametrize("name", ASKED)
def test_nothing_is_decided_over_rounds_that_nobody_chose(name: str) -> None:
    with pytest.raises(ArgumentError, match=r"--horizon T \(or inf\).*RandomizedResponse.*horizon=None"):
        examine(RandomizedResponse(), requirements=ASKED[name])
    assert examine(Limited(), requirements=ASKED[name]).exit_status == 0


MECHANISMS = (RandomizedResponse(), RandomizedResponse(F(1, 2)), Plain(), Later(), Alone())
OPTIONS = ("--claim=eps=2", "--require-delta=2:1/2", "--require-no-gap", "--require-certified")


@pytest.mark.parametrize("option", OPTIONS)
def test_the_command_refuses_a_requirement_without_a_horizon_in_one_line(
    option: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", "randomized-response", option]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "Expected --horizon T (or inf)" in err


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("name", "mechanism", "horizon"),
    spread(list(itertools.product(ASKED, MECHANISMS, (1, 3, 5, 200, "inf"))), 3),
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_grid_of_exit_statuses(name: str, mechanism: Any, horizon: Any) -> None:
    """Vacuous scopes are open, unless a theorem is about all rounds and there are two inputs to tell apart."""
    record = examine(mechanism, horizon=horizon, requirements=ASKED[name])
    since = mechanism.since if isinstance(mechanism, Plain) else 1
    silent = isinstance(mechanism, Alone) or getattr(mechanism, "truth", 1) == F(1, 2)
    nothing = silent or (horizon != "inf" and horizon < since)
    if isinstance(mechanism, Alone) or (nothing and horizon != "inf"):
        wanted = 3
    elif isinstance(mechanism, Plain) and name not in ("no gap", "certified"):
        wanted = 1
    else:
        wanted = 0
    assert record.exit_status == wanted
    (found,) = record["requirements"]
    if wanted == 3:
        assert "nothing can happen" in found["detail"] or found["verdict"] == "UNDECIDED"
    if horizon == "inf" and name not in ("certified",) and found["verdict"] == "HOLDS":
        assert found["scope"] == "every horizon"
    assert record["headline"]["badge"] == record["verdict"]


def test_without_a_requirement_a_silent_scope_is_as_it_was() -> None:
    record = examine(RandomizedResponse(F(1, 2)))
    assert (record.exit_status, record["vacuous"], record["headline"]["badge"]) == (0, True, "NO GAP")
    record = examine(RandBinToy(), game="npp", horizon=3)
    assert (record.exit_status, record["vacuous"], record["headline"]["badge"]) == (0, True, "HOLDS")


@pytest.mark.parametrize(("asked", "status"), [("2:1/100", 3), ("2:1/1000000", 3), ("2:1", 3)])
def test_a_neighbour_preserving_game_before_anything_comes_meets_no_requirement(asked: str, status: int) -> None:
    found = examine(RandBinToy(), game="npp", horizon=3, requirements=Requirements((required_delta(asked),)))
    assert found.exit_status == status


@pytest.mark.in_turns
def test_what_is_certified_at_any_size_holds_and_what_is_merely_promised_does_not() -> None:
    def verdicts(mechanism: Any) -> list[str]:
        asked = Requirements((claim("eps=2.7726,delta=1/2"), claim("eps=0.1,delta=1/2")))
        record = examine(mechanism, game="npp", horizon=3, requirements=asked)
        return [f"{one['verdict']} {one['scope']}" for one in record["requirements"]]

    assert verdicts(RandBinPaper())[0] == "HOLDS any size"
    assert verdicts(RandBinPaper())[1].startswith("UNDECIDED")

    class Mine(RandBinPaper):
        """May do anything."""

    class Promising(RandBinToy):
        guarantee = (F(2), F(0))

        def delta_at(self, exp_epsilon: Fraction) -> Fraction:
            return exp_epsilon * 0

    assert all(one.startswith("UNDECIDED") for mechanism in (Mine(), Promising()) for one in verdicts(mechanism))
    assert proven_delta(Mine(), F(16)) is None


# -- the first words


def test_a_mechanism_that_publishes_its_input_is_not_greeted_by_holds() -> None:
    text = summary(json.loads(examine(Plain()).to_json()))
    first, second = text.splitlines()[:2]
    assert first.startswith("NO GAP: ")
    assert second == (
        "Privacy over 3 rounds: none, there is no ε at δ = 1e-6; an observer guesses one changed input right with "
        "chance 1."
    )
    assert "There is no pure guarantee: some release rules a world out" in text


@pytest.mark.parametrize(("deltas", "shown"), [((), "1e-6"), ((F(1, 100),), "0.01"), ((F(1, 10), F(1, 1000)), "0.1")])
def test_the_first_delta_asked_for_is_the_one_that_is_said(deltas: Iterable[Fraction], shown: str) -> None:
    assert f" at δ = {shown}; " in examine(RandomizedResponse(), deltas=deltas).to_text().splitlines()[1]


@pytest.mark.parametrize("adjacency", ["hamming", "edit", "any", "zero-out"])
def test_a_guess_is_right_with_half_of_one_and_the_total_variation(adjacency: str) -> None:
    record = examine(RandomizedResponse(), horizon=2, adjacency=adjacency)
    seen = record["headline"]["privacy"]["guess"]
    assert seen["lower"] == seen["upper"] == str((1 + F(record["adaptive"]["total_variation"])) / 2)


def test_with_requirements_the_names_come_first() -> None:
    asked = Requirements((claim("eps=2"), claim("eps=1")), no_gap=True)
    first, second, third = examine(RandomizedResponse(), horizon=3, requirements=asked).to_text().splitlines()[:3]
    assert first == (
        "REFUTED: Does not hold: (1, 0)-DP. Holds: (2, 0)-DP; no gap between adaptive adversaries and fixed streams."
    )
    assert second.startswith("Privacy over 3 rounds: ε ≈ 1.0986")
    assert third == "Adaptive adversaries learn no more than fixed streams do."


# -- bounds that are bounds


class Unsteady:
    """Laws that change from one asking to the next."""

    alphabet = (0, 1)

    def __init__(self) -> None:
        self.asked = 0

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        self.asked += 1
        return bernoulli(F(1 + prefix[-1], 3 + self.asked))


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_of_unsteady_code_nothing_is_a_bound(horizon: int) -> None:
    record = examine(Unsteady(), horizon=horizon, deltas=[F(1, 10)])
    assert record.verdict is Verdict.UNDECIDED
    for side in ("adaptive", "fixed_stream"):
        assert {(one["lower"], one["upper"]) for one in record[side]["delta"]} == {("0", "1")}
        assert record[side]["lower"]["power"] == [["0", "0"], ["1", "1"]]
        assert record[side]["power"] == [["0", "0"], ["0", "1"], ["1", "1"]]
    assert record["fixed_stream"]["witnesses"] == record["adaptive"]["strategies"] == []
    text, page = record.to_text(), record.to_html()
    assert "Privacy: not known." in text
    assert "adaptive δ" not in text
    assert "between 0" not in text
    assert 'id="numbers"' not in page
    assert "<svg" not in page


class Open:
    """Random while it is played, perfect only in what was not explored."""

    alphabet = (0, 1)
    initial = ()

    def step(self, state: tuple[Any, ...], x: int, draw: Draw) -> tuple[Release[Any, None], tuple[Any, ...]]:
        if len(state) > 40:
            return Release(HALT), state
        flip = draw(bernoulli(F(1, 3) if x else F(1, 2)))
        return Release(flip), (*state, (x, flip))


@pytest.mark.in_turns
@pytest.mark.parametrize("most", [1, 3, 9, 20, 60])
def test_a_game_cut_short_never_says_for_sure_what_only_its_upper_bound_does(most: int) -> None:
    record = examine(Open(), horizon=5, budget=Budget(max_positions=most))
    assert F(record["adaptive"].get("lower", record["adaptive"])["total_variation"]) < 1
    for words in (record.to_text(), record.to_html()):
        assert "for sure" not in words
        assert "rules a world out" not in words
