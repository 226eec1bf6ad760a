"""What a game falls into after its first move: parts that share no position, each with a grid of its own.

Of two parts that are one another with the worlds swapped, one is enough.
"""

from collections.abc import Iterable, Iterator, Sequence

from dpcert.audit.frozen import frozen
from dpcert.audit.games.paired import END, Move, Outcome
from dpcert.audit.grids.stages import StageRound, Stages
from dpcert.audit.limits import look

MOST_GAME_PARTS = 100
"""Parts that get a grid of their own; each is held against each other for being its mirror image."""
LevelPositions = list[set[int]]
"""Per level, the numbers of positions."""
Numbers = tuple[int, ...]
"""Those of one level, in order."""


@frozen
class Part:
    """Some of the first moves, and all that can follow them.

    Attributes:
        stages: The game without the other first moves.
        mirrored: Whether the same with the worlds swapped is a part as well, and not listed.
    """

    stages: Stages
    mirrored: bool = False


def parts(whole: Stages) -> list[Part]:
    """The parts of a game; past `MOST_GAME_PARTS` it is one. Raises: Stopped: at a look, where time is over."""
    groups = _groups([_reached(whole, move) for move in whole.levels[0].moves[0]])
    if len(groups) > MOST_GAME_PARTS:
        return [Part(whole)]
    return list(_withoutmirrors([_part(whole, numbers, positions) for numbers, positions in groups]))


def _groups(reaches: Sequence[LevelPositions]) -> list[tuple[list[int], LevelPositions]]:
    """First moves, by number, that share a position directly or through others, and all positions that they reach."""
    group_of: list[list[int]] = []
    owners: dict[tuple[int, int], list[int]] = {}
    for number, levels in enumerate(reaches):
        look()
        mine = [number]
        group_of.append(mine)
        for place in ((at, position) for at, here in enumerate(levels) for position in here):
            theirs = group_of[owners.setdefault(place, mine)[0]]
            if theirs is not mine:
                fewer, more = sorted((mine, theirs), key=len)
                more += fewer
                for one in fewer:
                    group_of[one] = more
                mine = more
    groups = {id(one): sorted(one) for one in group_of}.values()
    return [
        (numbers, [set().union(*here) for here in zip(*(reaches[one] for one in numbers), strict=True)])
        for numbers in sorted(groups)
    ]


def _reached(whole: Stages, move: Move) -> LevelPositions:
    """The positions that can follow a first move."""
    repeating = whole.rounds > len(whole.levels)
    if len(whole.levels) == 1 and repeating:  # round 1 is every round: nothing is apart
        return [{0}]
    levels: LevelPositions = [set()]
    here = _after([move])
    for level in whole.levels[1:]:
        last = level is whole.levels[-1] and repeating
        todo = here
        while last and todo:
            todo = _after(one for number in todo for one in level.moves[number]) - here
            here |= todo
        levels.append(here)
        here = _after(one for number in here for one in level.moves[number])
    return levels


def _after(moves: Iterable[Move]) -> set[int]:
    return {o.after for move in moves for o in move.outcomes if o.after != END}


def _part(whole: Stages, numbers: list[int], positions: LevelPositions) -> Stages:
    """The game with some of its first moves."""
    first = whole.levels[0]
    if len(whole.levels) == 1 and whole.rounds > 1:
        return whole
    kept = [(0,), *(tuple(sorted(here)) for here in positions[1:])]
    levels = [StageRound(first.positions, (tuple(first.moves[0][i] for i in numbers),)), *whole.levels[1:]]
    repeating = whole.rounds > len(whole.levels)
    following = [*kept[1:], kept[-1] if repeating else ()]
    made: dict[tuple[int, Numbers, Numbers], StageRound] = {}
    mine = []
    for level, here, after in zip(levels, kept, following, strict=True):
        if (id(level), here, after) not in made:
            made[id(level), here, after] = _among(level, here, after)
        mine.append(made[id(level), here, after])
    return Stages(whole.rounds, tuple(mine))


def _among(level: StageRound, here: Numbers, following: Numbers) -> StageRound:
    """Some positions of a level, which lead to some of the next one."""
    order = {old: new for new, old in enumerate(following)}
    moves = (tuple(_renumbered(move, order) for move in level.moves[i]) for i in here)
    return StageRound(tuple(level.positions[i] for i in here), tuple(moves))


def _renumbered(move: Move, order: dict[int, int]) -> Move:
    outcomes = tuple(
        Outcome(o.observation, o.weight0, o.weight1, o.after if o.after == END else order[o.after])
        for o in move.outcomes
    )
    return Move(move.pair, outcomes, move.denominator0, move.denominator1)


def _withoutmirrors(candidates: list[Stages]) -> Iterator[Part]:
    rest = list(candidates)
    while rest:
        look()
        one = rest.pop(0)
        twin = next((other for other in rest if mirrors(one, other)), None)
        if twin is not None:
            rest.remove(twin)
        yield Part(one, twin is not None)


def mirrors(one: Stages, other: Stages) -> bool:
    """Whether each position of one game, with its worlds swapped, is one of the other, with the same future.

    Raises: Stopped: at a look, where time is over.
    """
    order: list[dict[int, int]] = []
    for mine, theirs in zip(one.levels, other.levels, strict=True):
        look()
        if len(mine.positions) != len(theirs.positions) or not all(_is_pair(p) for p in mine.positions):
            return False
        places = {position: number for number, position in enumerate(theirs.positions)}
        twins = [places.get((relation, b, a)) for relation, a, b in mine.positions]
        if None in twins:
            return False
        order.append({i: j for i, j in enumerate(twins) if j is not None})
    following = [*order[1:], order[-1] if one.rounds > len(one.levels) else {}]
    return all(
        {_told(m, after, swap=True) for m in mine.moves[i]} == {_told(m, None, swap=False) for m in theirs.moves[j]}
        for mine, theirs, here, after in zip(one.levels, other.levels, order, following, strict=True)
        for i, j in here.items()
    )


def _is_pair(position: object) -> bool:
    return isinstance(position, tuple) and len(position) == 3


def _told(move: Move, after: dict[int, int] | None, *, swap: bool) -> tuple[object, ...]:
    """A move without labels, its positions renumbered and its worlds swapped where that is asked."""
    outcomes = sorted(
        (
            o.after if after is None or o.after == END else after[o.after],
            *((o.weight1, o.weight0) if swap else (o.weight0, o.weight1)),
        )
        for o in move.outcomes
    )
    denominators = (move.denominator1, move.denominator0) if swap else (move.denominator0, move.denominator1)
    return (*denominators, *outcomes)
