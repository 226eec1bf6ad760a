"""Small random games written down as levels of positions, and what is reached in them by following every line of play.

A line of play is carried as its probabilities in both worlds; nothing is merged, scaled or ordered.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from dpcert.audit.games.paired import END, Level, Move, Outcome, Pair

Atom = tuple[Fraction, Fraction]
"""The probabilities of what was seen, in world 0 and in world 1."""
NOTHING_YET: Atom = (Fraction(1), Fraction(1))


def random_levels(
    seed: int, rounds: int = 3, *, pairs: int = 2, core: bool = False, quiet: int = 0
) -> tuple[Level, ...]:
    """One to three positions a round, each with the same pairs of inputs, and outcomes of small weights.

    Args:
        quiet: First rounds in which nothing tells the worlds apart.
        core: Whether the inputs alone decide where a release leads; else a game may be over before its last round, as
            it is wherever one world has become impossible.
    """
    rng = random.Random(seed)
    counts = [1, *(rng.randint(1, 3) for _ in range(rounds - 1)), 0]
    made = []
    for round_, (here, after) in enumerate(pairwise(counts)):
        laws = [[_weights(rng, round_ < quiet) for _ in range(pairs)] for _ in range(here)]
        moves = [tuple(_move(rng, (0, i), one, after, core) for i, one in enumerate(row)) for row in laws]
        made.append(Level(tuple(range(here)), tuple(moves)))
    return tuple(made)


def many_positions(seed: int) -> tuple[Level, ...]:
    """A random game of three rounds with several positions in the second and in the third."""
    return next(
        levels
        for levels in (random_levels(1_000 * seed + number) for number in range(1_000))
        if min(len(level.positions) for level in levels[1:]) > 1
    )


def _weights(rng: random.Random, quiet: bool) -> list[tuple[int, int]]:
    """Those of two or three outcomes in both worlds, which have denominators of their own."""
    weights = [(rng.choice((0, 1, 1, 2, 3)), rng.choice((0, 1, 1, 2, 3))) for _ in range(rng.randint(1, 2))]
    told = [one for one in weights if any(one)] + [(rng.randint(1, 3), rng.randint(1, 3))]
    times = rng.randint(1, 3)
    return [(max(one), times * max(one)) for one in told] if quiet else told


def _move(rng: random.Random, pair: Pair, weights: Sequence[tuple[int, int]], after: int, core: bool) -> Move:
    place = rng.randrange(after) if after else END
    outcomes = []
    for observation, (weight0, weight1) in enumerate(weights):
        over = not after or (not core and (not weight0 or not weight1 or rng.random() < 0.2))
        leads = END if over else place if core else rng.randrange(after)
        outcomes.append(Outcome(observation, weight0, weight1, leads))
    return Move(pair, tuple(outcomes), sum(w for w, _ in weights), sum(w for _, w in weights))


def mirrored(levels: Sequence[Level]) -> tuple[Level, ...]:
    """The game with the worlds swapped."""

    def swapped(move: Move) -> Move:
        outcomes = tuple(Outcome(o.observation, o.weight1, o.weight0, o.after) for o in move.outcomes)
        return Move(move.pair, outcomes, move.denominator1, move.denominator0)

    return tuple(Level(level.positions, tuple(tuple(map(swapped, moves)) for moves in level.moves)) for level in levels)


def one_of_two(one: Sequence[Level], two: Sequence[Level]) -> tuple[Level, ...]:
    """A coin that everybody sees decides which of two games of as many rounds is played."""
    coin = Move((0, 0), (Outcome("one", 1, 1, 0), Outcome("two", 1, 1, 1)), 2, 2)
    joined = [Level((0,), ((coin,),))]
    ahead = [*(len(level.positions) for level in one[1:]), 0]
    for mine, theirs, shift in zip(one, two, ahead, strict=True):
        moves = *mine.moves, *(tuple(_moved(move, shift) for move in moves) for moves in theirs.moves)
        joined.append(Level(tuple(range(len(moves))), moves))
    return tuple(joined)


def _moved(move: Move, shift: int) -> Move:
    """The move where what follows has numbers that are larger by so many."""
    outcomes = [Outcome(o.observation, o.weight0, o.weight1, o.after + shift * (o.after != END)) for o in move.outcomes]
    return Move(move.pair, tuple(outcomes), move.denominator0, move.denominator1)


def seen(atom: Atom, move: Move) -> Iterator[tuple[Atom, Outcome]]:
    """What may be seen after a move, each with its probabilities."""
    for o in move.outcomes:
        yield (atom[0] * Fraction(o.weight0, move.denominator0), atom[1] * Fraction(o.weight1, move.denominator1)), o


def worth_of(atoms: Sequence[Atom], exp_epsilon: Fraction) -> Fraction:
    """sum max(0, p1 - exp_epsilon p0): the hockey stick in the order "1-0"."""
    return sum((max(Fraction(0), p1 - exp_epsilon * p0) for p0, p1 in atoms), Fraction(0))


@dataclass(frozen=True)
class Played:
    """A game that is followed from any position.

    Attributes:
        levels: The game.
        perfect: Whether an observer learns the world for sure where the levels end; else nothing more.
    """

    levels: Sequence[Level]
    perfect: bool = False

    def most(self, exp_epsilon: Fraction, at: int = 0, position: int = 0, atom: Atom = NOTHING_YET) -> Fraction:
        """What the best adaptive adversary makes of a history: at each the best move, and what it leads to."""
        if at == len(self.levels):
            return atom[1] if self.perfect else worth_of([atom], exp_epsilon)
        return max(self._after(exp_epsilon, at, move, atom) for move in self.levels[at].moves[position])

    def _after(self, exp_epsilon: Fraction, at: int, move: Move, atom: Atom) -> Fraction:
        total = Fraction(0)
        for after, o in seen(atom, move):
            over = o.after == END
            total += worth_of([after], exp_epsilon) if over else self.most(exp_epsilon, at + 1, o.after, after)
        return total

    def atoms(self, pairs: Sequence[Pair], at: int = 0, position: int = 0, atom: Atom = NOTHING_YET) -> list[Atom]:
        """All that may be seen under fixed streams, given round by round; past them all is over."""
        if at == len(pairs) or position == END:
            return [atom]
        move = next(move for move in self.levels[at].moves[position] if move.pair == pairs[at])
        return [one for after, o in seen(atom, move) for one in self.atoms(pairs, at + 1, o.after, after)]

    def streams(self) -> list[tuple[Pair, ...]]:
        """Every pair of streams over all rounds."""
        return list(product(*([move.pair for move in level.moves[0]] for level in self.levels)))
