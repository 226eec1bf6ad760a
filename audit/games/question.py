"""What an audit is asked: its scope, and the points at which curves are read off."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from dpcert.audit.algebra.rational import exact, text
from dpcert.audit.defaults import DEFAULT_DELTA, DEFAULT_HORIZON
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.identity import held
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.code import Code, online
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency, ChallengeAt, ZeroOut
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.relations.foreign import adopted
from dpcert.audit.relations.hops import Hops

MOST_HOPS = 8
"""The largest number of hops that can be asked for."""
EVERY = "inf"
"""In place of a number of rounds: every horizon at once."""


@dataclass(frozen=True)
class Question:
    """A checked question: the scope of the game and ascending, distinct points.

    With `every_horizon` the ladder is decided for all horizons at once; curves are those of `horizon` rounds. `delta`
    is the one at which a report says epsilon first.
    """

    horizon: int
    neighbours: Adjacency[Any]
    hops: int
    challenge_round: int | None
    exp_epsilons: tuple[Fraction, ...]
    epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    every_horizon: bool = False
    delta: Fraction = DEFAULT_DELTA

    @property
    def adjacency(self) -> str:
        """The name of the relation of one hop."""
        return self.neighbours.name

    def relation(self, mechanism: object) -> Adjacency[Any]:
        """The relation that the game is played on; a mechanism's own `null` is the null input of zero-out."""
        relation = self.neighbours
        if isinstance(relation, ZeroOut):
            null = relation.null if relation.null is not None else member(mechanism, "null")
            with answering(f"{name_of(mechanism)}.null", type(mechanism)):
                relation = replace(relation, null=held(null, "null input"))
        if self.challenge_round is not None:
            relation = ChallengeAt(relation, self.challenge_round, forced=self.hops == 1)
        return relation if self.hops == 1 else Hops(relation, self.hops, self.horizon)

    @property
    def rounds_in_words(self) -> str:
        """How many rounds are played."""
        return "1 round" if self.horizon == 1 else f"{self.horizon} rounds"

    @property
    def in_words(self) -> str:
        """The scope of every finding, as a sentence fragment."""
        where = differing(self.adjacency) if self.challenge_round is None else f"in round {self.challenge_round}"
        hops = "" if self.hops == 1 else f", {self.hops} hops apart"
        return f"every adversary over {self.rounds_in_words}, streams that differ {where} ({self.adjacency}{hops})"


def differing(adjacency: str) -> str:
    """Where neighbouring streams may differ, in words, by the name of the relation; only ours have those names."""
    one = "in any one round"
    by_name = {
        "hamming": one,
        "unit-hamming": one,
        "zero-out": one,
        "edit": "by one item more or less, in any round",
        "any": "in any rounds",
    }
    return by_name.get(adjacency, "as the relation allows")


@contextmanager
def naming_null(relation: Adjacency[Any], view: View | Code) -> Iterator[None]:
    """Adds to a mechanism's error over zero-out's null input None how a mechanism names its own."""
    try:
        yield
    except MechanismError as error:
        while isinstance(relation, (ChallengeAt, Hops)):
            relation = relation.adjacency
        unnamed = isinstance(relation, ZeroOut) and relation.null is None
        if not unnamed or _takes(view, None) or not _takes(view, view.alphabet[0]):
            raise
        hint = "zero-out submits the null input None: a mechanism with another one names it in an attribute `null`"
        raise MechanismError(f"{error}; {hint}") from error


def _takes(view: View | Code, x: object) -> bool:
    """Whether the mechanism answers input x in round 1."""
    try:
        live = online(view, 1) if isinstance(view, Code) else view
        live.kernel(live.initial, x)
    except MechanismError:
        return False
    return True


def asked(
    view: View | Code,
    *,
    horizon: int | Literal["inf"] | None,
    adjacency: str | Adjacency[Any],
    hops: int,
    challenge_round: int | None,
    exp_epsilons: Iterable[Fraction | int],
    epsilons: Iterable[Fraction | int],
    deltas: Iterable[Fraction | int],
) -> Question:
    """The question, checked against the mechanism.

    Raises: ArgumentError: anything out of range, under its own name.
    """
    neighbours = adopted(adjacency)
    every = horizon == EVERY and view.horizon is None
    deltas = tuple(deltas)
    rounds = horizon if isinstance(horizon, int) else view.horizon or DEFAULT_HORIZON
    if not (horizon is None or horizon == EVERY or isinstance(horizon, int)):
        raise expected(f"a whole number of rounds or {EVERY}", horizon=horizon)
    if every and (neighbours, hops, challenge_round) != (HAMMING, 1, None):
        wanted = f"one hop, hamming and any challenge round with horizon={EVERY}"
        raise expected(wanted, adjacency=neighbours.name, hops=hops)
    if not 1 <= hops <= MOST_HOPS:
        raise expected(f"a number of hops from 1 to {MOST_HOPS}", hops=hops)
    if challenge_round is not None and not 1 <= challenge_round <= rounds:
        raise expected(f"a challenge round from 1 to the horizon {rounds}", challenge_round=challenge_round)
    if challenge_round is not None and neighbours == EDIT:
        wanted = "no challenge round with edit, after which the streams go on differing,"
        raise expected(wanted, adjacency=neighbours.name)
    if challenge_round is not None and hops == 1 and len(view.alphabet) == 1 and type(neighbours) is not ZeroOut:
        raise expected("an alphabet of at least 2 inputs when a challenge round is forced", alphabet=view.alphabet)
    if neighbours == UNIT_HAMMING and not all(isinstance(x, int) for x in view.alphabet):
        raise expected("an alphabet of whole numbers for unit-hamming", alphabet=view.alphabet)
    return Question(
        rounds,
        neighbours,
        hops,
        challenge_round,
        _checked(exp_epsilons, "exp_epsilon", Fraction(1), None),
        _checked(epsilons, "epsilon", Fraction(0), Fraction(10**4)),
        _checked(deltas, "delta", Fraction(0), Fraction(1)),
        every,
        exact(deltas[0], "delta") if deltas else DEFAULT_DELTA,
    )


def _checked(
    values: Iterable[Fraction | int], name: str, least: Fraction, most: Fraction | None
) -> tuple[Fraction, ...]:
    """Exact, in range, distinct and ascending."""
    numbers = {exact(value, name) for value in values}
    for number in numbers:
        if number < least or (most is not None and number > most):
            above = "" if most is None else f" and at most {text(most)}"
            raise expected(f"at least {text(least)}{above}", **{name: number})
    return tuple(sorted(numbers))
