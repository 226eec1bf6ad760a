"""What policies choose, in spans and place by place: the same as choices say one by one."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from instances.enclosed_games import game_of, no_bound
from instances.seeds import chosen

from dpcert.audit.budget import Budget
from dpcert.audit.games.paired import PairedGame
from dpcert.audit.grids import attained
from dpcert.audit.grids import choices as choices_room
from dpcert.audit.grids.attained import AttainedRows
from dpcert.audit.grids.choices import MOST_SPANS, Spans
from dpcert.audit.grids.closing import Closing
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.passes import UpperPass
from dpcert.audit.grids.refining import Refining
from dpcert.audit.grids.sides import Sides, SidesByPlace
from dpcert.audit.grids.stages import stages
from dpcert.audit.grids.units import RelativeUnits, Units
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

LOW, HIGH = -7, 12


def choices(rng: Random) -> tuple[list[tuple[int, ...]], list[np.ndarray | None]]:
    """Releases of classes, and which of them is chosen at each place."""
    classes: list[tuple[int, ...]] = [()]
    chosen: list[np.ndarray | None] = [None]
    for _ in range(rng.randint(0, 4)):
        classes.append(tuple(rng.sample(range(9), rng.randint(1, 3))))
        many = len(classes[-1]) > 1
        chosen.append(np.array([rng.randrange(len(classes[-1])) for _ in range(LOW, HIGH)]) if many else None)
    return classes, chosen


def at(classes: list[tuple[int, ...]], chosen: list[np.ndarray | None], number: int, place: int) -> int:
    """The release that a class chooses at a place."""
    choice = chosen[number]
    return classes[number][0 if choice is None else int(choice[place - LOW])]


@pytest.mark.parametrize("seed", range(40))
def test_spans_say_what_was_chosen_at_each_place(seed: int) -> None:
    rng = Random(seed)
    classes, chosen = choices(rng)
    spans = Spans.of(classes, chosen, LOW, HIGH)
    places = {
        number: (low, rng.randint(low + 1, HIGH))
        for number in rng.sample(range(len(classes)), rng.randint(0, len(classes)))
        for low in [rng.randrange(LOW, HIGH)]
    }
    met = spans.reached(places).place_by_place()
    expected = [
        (number, place, at(classes, chosen, number, place))
        for number, (low, high) in sorted(places.items())
        for place in range(low, high)
        if classes[number]
    ]
    assert list(zip(*(one.tolist() for one in (met.numbers, met.places, met.releases)), strict=True)) == expected
    for number in range(len(spans)):
        ends = [LOW, *(high for *_, high in spans.of_class(number))] if classes[number] else []
        assert ends[-1:] == ([HIGH] if classes[number] else [])
        assert [low for _, low, _ in spans.of_class(number)] == ends[:-1]


def test_a_class_that_changes_too_often_is_told_at_fewer_places() -> None:
    often = np.arange(4 * MOST_SPANS) % 2
    spans = Spans.of([(), (3, 5)], [None, often], 0, len(often)).of_class(1)
    assert len(spans) <= MOST_SPANS
    assert all((3, 5)[int(often[low])] == release for release, low, _ in spans)


def test_sides_are_asked_for_where_they_were_settled_alone() -> None:
    flags = np.array([True, False, False, True, True])
    kept = SidesByPlace({1: (-1, 1), 3: (4, 7)}, (Sides.of(flags),))
    assert kept.at(np.array([1, 3, 3]), np.array([0, 4, 6]))[0].tolist() == [False, False, True]
    for number, place in ((1, 1), (1, -2), (2, 0), (3, 7), (4, 0)):
        with pytest.raises(LookupError):
            kept.at(np.array([number]), np.array([place]))


def parts(seed: int) -> list[Closing]:
    """The parts of a random game."""
    slopes = Fraction(1), Fraction(2)
    return Refining(stages(game_of(seed), Budget()), slopes, (), Fraction(1, 10**6), Budget()).begun()


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", chosen(range(0, 60, 4)))
@pytest.mark.parametrize("units", [Units(), Units(90), RelativeUnits()], ids=["machine", "90", "relative"])
@pytest.mark.parametrize("placewise", [False, True])
def test_places_at_once_have_what_spans_have(
    seed: int, units: Units, *, placewise: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two ways to the same numbers: span by span on slices, and all places at once."""
    monkeypatch.setattr(attained, "BLOCK_PLACES", 50)
    for one in parts(seed):
        runner = one.bounding.runner(one.bounding.grid(one.bounding.first_step(64)), no_bound)
        policy = GridPolicy(runner, placewise=placewise)
        UpperPass(runner, policy.note).run()
        by_spans, at_once = (AttainedRows.ended(runner, units) for _ in range(2))
        for kept in policy.by_stage:
            windows, (low, high) = runner.windows, runner.windows.at(kept.stage)
            monkeypatch.setattr(choices_room, "LONG_SPAN", 0)
            by_spans.follow(kept)
            monkeypatch.setattr(choices_room, "LONG_SPAN", 10**9)
            at_once.follow(kept, dict.fromkeys(range(len(kept.taps.table.classes)), (low, high)))
            read = slice(windows.centre + low - windows.pad, windows.centre + high + windows.pad)
            assert (by_spans.values[:, :, read] == at_once.values[:, :, read]).all(), (seed, kept.stage)
            assert by_spans.sides.keys() == at_once.sides.keys()
        for stage, sides in by_spans.sides.items():
            assert at_once.sides[stage].places == sides.places
            pairs = zip(sides.runs, at_once.sides[stage].runs, strict=True)
            assert all((a.flags() == b.flags()).all() for a, b in pairs)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_bounds_are_the_same_whether_choices_are_kept(seed: int) -> None:
    for one in parts(seed):
        grid = one.bounding.grid(one.bounding.first_step(64))
        kept, alone = (one.bounding.upper(grid, no_bound, choosing=choosing) for choosing in (True, False))
        assert kept == alone


@pytest.mark.in_turns
def test_what_changes_often_is_not_told_at_fewer_places_while_that_would_keep_bounds_apart() -> None:
    """Choices on fine grids change some eighty times: told at every second place, bounds stayed 2e-8 apart."""
    game, gap = PairedGame(core_of(TwoRoundRepeated(Fraction(1, 10))), HAMMING, 100), Fraction(1, 10**9)
    found = Refining(stages(game, Budget()), (Fraction(1),), (), gap, Budget()).run()
    assert found.gap <= gap
    assert found.steps <= 12
