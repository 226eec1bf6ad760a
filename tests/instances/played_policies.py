"""A policy of the enclosed tier played in rationals on the positions of its game, not on classes of them."""

from fractions import Fraction

import numpy as np

from dpcert.audit.algebra.power import Point
from dpcert.audit.games.paired import END, Move
from dpcert.audit.grids.attained import StagePolicy
from dpcert.audit.grids.bounding import PartBounds
from dpcert.audit.grids.grid import MOST_RATIO, Grid, Telling, shift
from dpcert.audit.grids.lower import GridPolicy
from dpcert.audit.grids.root import PolicyStart
from dpcert.audit.grids.stages import NOTHING, Release, RoundTable, StageRound

Masses = dict[tuple[int, int | bool], tuple[Fraction, Fraction]]
"""By position and place, or guess: how likely that is in either world."""


def played_exactly(bounding: PartBounds, grid: Grid, slope: Fraction) -> Point:
    """What the policy of a lower bound has in its event in world 0 and in world 1."""
    policy, tables = bounding.policy(grid, lambda: None), list(bounding.stages.tables())
    root, rows = bounding.attained(policy)
    _, start = root.attained(rows, slope)
    event = [Fraction(0), Fraction(0)]
    masses = _begun(bounding, tables, start, event)
    for kept, round_ in zip(reversed(policy.by_stage), range(2, bounding.stages.rounds + 1), strict=True):
        stage, (low, high) = kept.stage, policy.runner.windows.at(kept.stage)
        level, table, following = bounding.stages.level(round_), tables[stage - 1], tables[stage - 2]
        after: Masses = {}
        for (position, place), mass in masses.items():
            number = table.class_of[position]
            at = min(max(int(place), low), high - 1)
            if isinstance(place, bool) or number == NOTHING:
                _won(event, mass, place if isinstance(place, bool) else place + grid.rest(stage) < 0)
                continue
            release = next(one for one, first, end in kept.spans.of_class(number) if first <= at < end)
            flags = _before(policy, kept, release, (number, at))
            move = _move(level, position, table.releases[release], following if stage > 1 else None)
            step = grid.base(stage) - grid.base(stage - 1)
            _led(move, table.releases[release], flags, (grid, at - step), mass, after)
        masses = after
    for (_, place), mass in masses.items():
        _won(event, mass, place if isinstance(place, bool) else place + grid.rest(0) < 0)
    return event[0], event[1]


def _before(policy: GridPolicy, kept: StagePolicy, release: int, at: tuple[int, int]) -> list[bool]:
    """For each run of what a class chooses at a place, whether the node before its slope is followed."""
    runs = kept.taps.releases[release].runs
    if not kept.placewise:
        return [not further for further in kept.behind[release]]
    sides = policy.sides(kept.stage)
    assert sides is not None
    flags = sides.at(*(np.array([i]) for i in at))
    return [bool(one[0]) for one, _ in zip(flags, runs, strict=False)]


def _won(event: list[Fraction], mass: tuple[Fraction, Fraction], bet: bool) -> None:
    if bet:
        event[0], event[1] = event[0] + mass[0], event[1] + mass[1]


def _ratio(outcome: object) -> Fraction | None:
    return Fraction(outcome.weight0, outcome.weight1) if outcome.weight1 else None  # type: ignore[attr-defined]


def _class_after(outcome: object, following: RoundTable | None) -> int:
    over = following is None or outcome.after == END or not outcome.weight0 or not outcome.weight1  # type: ignore[attr-defined]
    return NOTHING if over or following is None else following.class_of[outcome.after]  # type: ignore[attr-defined]


def _move(level: StageRound, position: int, release: Release, following: RoundTable | None) -> Move:
    """A move of a position that a release is."""
    for move in level.moves[position]:
        sums: dict[tuple[int, Fraction | None], list[Fraction]] = {}
        for o in move.outcomes:
            both = sums.setdefault((_class_after(o, following), _ratio(o)), [Fraction(0), Fraction(0)])
            both[0] += Fraction(o.weight0, move.denominator0)
            both[1] += Fraction(o.weight1, move.denominator1)
        if sorted((after, *both) for (after, _), both in sums.items()) == list(release):
            return move
    raise LookupError("no move of the position is the release that its class chooses")


def _led(
    move: Move,
    release: Release,
    flags: list[bool],
    at: tuple[Grid, int],
    mass: tuple[Fraction, Fraction],
    after: Masses,
) -> None:
    """Sends a mass to where a move leads, be it beyond the window."""
    (grid, place), both = at, [(k0 / k1) for _, k0, k1 in Telling.of(release).runs]
    classes = [number for number, k0, k1 in Telling.of(release).runs]
    following = dict(zip(zip(classes, both, strict=True), flags, strict=True))
    for o in move.outcomes:
        k0, k1 = Fraction(o.weight0, move.denominator0), Fraction(o.weight1, move.denominator1)
        then: int | bool = k0 * MOST_RATIO < k1
        if not then and k1 and k0 <= k1 * MOST_RATIO:
            near = {keep for (_, ratio), keep in following.items() if ratio == k0 / k1}
            then = place + shift(k0 / k1, grid, grid.drift).steps + (0 if near == {True} else 1)
            if len(near) > 1:
                raise LookupError("two classes after outcomes of one ratio")
        guessed = -1 if isinstance(then, bool) else 0  # a class that no position has: True is 1, and False 0
        key = (guessed if guessed or o.after == END else o.after), then
        known = after.get(key, (Fraction(0), Fraction(0)))
        after[key] = known[0] + mass[0] * k0, known[1] + mass[1] * k1


def _begun(bounding: PartBounds, tables: list[RoundTable], start: PolicyStart, event: list[Fraction]) -> Masses:
    """Where the policy is after round 1."""
    table, level = tables[-1], bounding.stages.level(1)
    if start.release is None:
        _won(event, (Fraction(1), Fraction(1)), bool(start.places[0]))
        return {}
    releases = [table.releases[i] for i in table.classes[table.class_of[0]]]
    chosen = releases[start.release]
    following = tables[-2] if len(tables) > 1 else None
    move = _move(level, 0, chosen, following)
    masses: Masses = {}
    places = {
        (after, k0 / k1 if k1 else None): place for (after, k0, k1), place in zip(chosen, start.places, strict=True)
    }
    for o in move.outcomes:
        k = Fraction(o.weight0, move.denominator0), Fraction(o.weight1, move.denominator1)
        ratio = k[0] / k[1] if k[1] else None
        place = places[_class_after(o, following), ratio]
        if isinstance(place, bool):
            _won(event, k, place)
            continue
        known = masses.get((o.after, place), (Fraction(0), Fraction(0)))
        masses[o.after, place] = known[0] + k[0], known[1] + k[1]
    return masses
