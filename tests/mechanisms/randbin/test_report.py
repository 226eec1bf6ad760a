"""What a report of RandBin adds, against the run listed path by path; sections of any mechanism."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from dpcert import Budget, Pmf, examine
from dpcert.audit.budget import Stopped
from dpcert.audit.commands.cli import run
from dpcert.mechanisms.randbin.report import forward, holdings
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.two_round import TwoRound

F = Fraction


def paths(mechanism: RandBinToy, horizon: int) -> Iterator[tuple[list[tuple[int, int]], Fraction]]:
    """Every run as its bins (round, length) and its probability, drawn step by step without merging anything."""

    class Fork(Exception):
        def __init__(self, law: Pmf[Any]) -> None:
            self.law = law

    def play(outcomes: tuple[Any, ...]) -> list[tuple[int, int]]:
        left = iter(outcomes)

        def draw(law: Pmf[Any]) -> Any:
            for outcome in left:
                return outcome
            raise Fork(law)

        state, bins = mechanism.initial, []
        for t in range(1, horizon + 1):
            release, state = mechanism.step(state, None, draw)
            if release.hidden is not None:
                bins.append((t, release.hidden[1]))
        return bins

    pending: list[tuple[tuple[Any, ...], Fraction]] = [((), F(1))]
    while pending:
        outcomes, mass = pending.pop()
        try:
            yield play(outcomes), mass
        except Fork as fork:
            pending += [((*outcomes, y), mass * w) for y, w in fork.law.items()]


@pytest.mark.parametrize(("mechanism", "horizon"), [(RandBinToy(), 11), (RandBinToy(F(3, 2), 4, 1, "triangular"), 17)])
def test_forward_play_is_the_sum_over_all_paths(mechanism: RandBinToy, horizon: int) -> None:
    left: dict[tuple[int, int], Fraction] = {}
    delays: dict[int, Fraction] = {}
    backlogs: dict[int, Fraction] = {}
    total = F(0)
    for bins, mass in paths(mechanism, horizon):
        total += mass
        first = 1
        for number, (t, length) in enumerate(bins, 1):
            left[number, t] = left.get((number, t), F(0)) + mass
            for event in range(first, first + length):
                delays[t - event] = delays.get(t - event, F(0)) + mass
            first += length
        waiting = horizon - first + 1
        backlogs[waiting] = backlogs.get(waiting, F(0)) + mass
    found = forward(mechanism, horizon, Budget())
    assert total == 1
    assert {(bin_, t): p for bin_, rounds in found.left.items() for t, p in rounds.items()} == left
    assert found.delays == delays
    assert found.backlogs == backlogs


def test_the_bin_of_an_event_is_found_from_the_loads() -> None:
    loads = RandBinToy().loads
    found = holdings(loads, 7)
    assert len(found) == 7
    for t in range(1, 8):
        law: dict[int, Fraction] = {}
        stack = [(0, 0, F(1))]
        while stack:
            bin_, total, mass = stack.pop()
            if total >= t:
                law[bin_] = law.get(bin_, F(0)) + mass
                continue
            stack += [(bin_ + 1, total + z, mass * p) for z, p in loads.items()]
        assert found[t - 1] == law


@pytest.mark.in_turns
def test_the_page_has_the_sections(tmp_path: Any) -> None:
    page = tmp_path / "page.html"
    assert run(["audit", "randbin-toy", "--game", "npp", "--horizon", "9", "--quiet", "--html", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    for title in ("Budget", "Schedule", "Affected bins", "Inclusion delay", "Backlog"):
        assert f"<h2>{title}</h2>" in html
    assert 'id="checklist"' not in html  # Checklist 1 is not about this game


def test_the_budget_is_the_bound_by_its_parts() -> None:
    mechanism = RandBinToy()
    rows = mechanism.sections(13, Budget())[0]["rows"]
    whole = mechanism.bound(13, Budget())
    assert [row[3] for row in rows] == [str(whole.delta(F(int(row[0])))) for row in rows]
    assert rows[0][1] == "1/3"


def test_a_section_of_another_shape_is_one_line() -> None:
    class Odd(TwoRound):
        def sections(self, horizon: int, budget: Budget) -> Any:
            del horizon, budget
            return ["no table"]

    with pytest.raises(Exception, match="list of titled tables") as error:
        examine(Odd())
    assert "\n" not in str(error.value)


def test_sections_give_way_when_the_time_is_over() -> None:
    with pytest.raises(Stopped, match="max-seconds"):
        forward(RandBinToy(), 9, Budget(max_seconds=-1))
