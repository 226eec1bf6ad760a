"""What an audit is asked: its scope, and the points at which curves are read off."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from dpcert.audit.algebra.rational import exact, text
from dpcert.audit.algebra.slope import Slope, slope
from dpcert.audit.defaults import DEFAULT_DELTA
from dpcert.audit.errors import MechanismError, expected
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import EVERY, Asked, Horizon, horizon_of
from dpcert.audit.identity import held
from dpcert.audit.kernels.border import answering, member, name_of
from dpcert.audit.kernels.code import Code, online
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency, ChallengeAt, ZeroOut
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.relations.foreign import adopted

MOST_HOPS = 8
"""The largest number of hops that can be asked for."""
MOST_EPSILON = 10**4
"""epsilon past which delta is not enclosed."""


F = TypeVar("F", bound=Fraction)


@frozen
class Question:
    """A checked question: the scope of the game and ascending, distinct points.

    `delta` is the one at which a report says epsilon first.
    """

    horizon: Horizon
    neighbours: Adjacency[Any]
    hops: int
    challenge_round: int | None
    exp_epsilons: tuple[Slope, ...]
    epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    delta: Fraction = DEFAULT_DELTA

    @property
    def rounds(self) -> int:
        """Rounds of the game, and of the curves."""
        return self.horizon.rounds

    @property
    def every_horizon(self) -> bool:
        """Whether the ladder is decided for every horizon at once."""
        return self.horizon.every

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
        if self.hops == 1:
            return relation
        from dpcert.audit.relations.hops import Hops

        return Hops(relation, self.hops, self.rounds)

    @property
    def in_words(self) -> str:
        """The scope of every finding, as a sentence fragment."""
        where = differing(self.adjacency) if self.challenge_round is None else f"in round {self.challenge_round}"
        hops = "" if self.hops == 1 else f", {self.hops} hops apart"
        return f"every adversary over {self.horizon.in_words}, streams that differ {where} ({self.adjacency}{hops})"

    @property
    def told(self) -> tuple[object, ...]:
        """All that is asked of curves, in words and as texts: what is kept of an audit is bound to it."""
        points = self.exp_epsilons, self.epsilons, self.deltas, (self.delta,)
        return (self.in_words, *(tuple(map(text, one)) for one in points))


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
        from dpcert.audit.relations.hops import Hops

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


class Playable(Protocol):
    """Whatever has inputs and, if it likes, rounds of its own."""

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The inputs of one round."""
        ...

    @property
    def horizon(self) -> int | None:
        """Its own rounds; None without."""
        ...


def asked(
    view: Playable,
    *,
    horizon: Asked,
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
    neighbours, deltas = adopted(adjacency), tuple(_several(deltas, "deltas"))
    question = Question(
        horizon_of(horizon, view.horizon),
        neighbours,
        hops,
        challenge_round,
        _ascending(map(slope, _several(exp_epsilons, "exp_epsilons"))),
        _ascending(_between(e, "epsilon", MOST_EPSILON) for e in _several(epsilons, "epsilons")),
        _ascending(_between(d, "delta", 1) for d in deltas),
        exact(deltas[0], "delta") if deltas else DEFAULT_DELTA,
    )
    _check_scope(question)
    _check_alphabet(question, view.alphabet)
    return question


def _check_scope(question: Question) -> None:
    """Refuses a relation, hops and a challenge round that do not go together, or not with the rounds."""
    neighbours, hops, challenge_round = question.neighbours, question.hops, question.challenge_round
    if question.every_horizon and (neighbours, hops, challenge_round) != (HAMMING, 1, None):
        demand = f"one hop, hamming and any challenge round with horizon={EVERY}"
        raise expected(demand, adjacency=neighbours.name, hops=hops)
    if not 1 <= hops <= MOST_HOPS:
        raise expected(f"a number of hops from 1 to {MOST_HOPS}", hops=hops)
    if challenge_round is None:
        return
    if not 1 <= challenge_round <= question.rounds:
        raise expected(f"a challenge round from 1 to the horizon {question.rounds}", challenge_round=challenge_round)
    if neighbours == EDIT:
        demand = "no challenge round with edit, after which the streams go on differing,"
        raise expected(demand, adjacency=neighbours.name)


def _check_alphabet(question: Question, alphabet: tuple[Any, ...]) -> None:
    """Refuses inputs over which the relation says nothing."""
    forced = question.challenge_round is not None and question.hops == 1
    if forced and len(alphabet) == 1 and type(question.neighbours) is not ZeroOut:
        raise expected("an alphabet of at least 2 inputs when a challenge round is forced", alphabet=alphabet)
    if question.neighbours == UNIT_HAMMING and not all(isinstance(x, int) for x in alphabet):
        raise expected("an alphabet of whole numbers for unit-hamming", alphabet=alphabet)


def _between(value: Fraction | int, name: str, most: int) -> Fraction:
    """The exact number, from 0 to `most`."""
    number = exact(value, name)
    if not 0 <= number <= most:
        raise expected(f"at least 0 and at most {most}", **{name: number})
    return number


def _several(points: Any, name: str) -> Iterable[Any]:
    """The numbers that were given. Raises: ArgumentError: one number, or a text."""
    if isinstance(points, str) or not isinstance(points, Iterable):
        raise expected(f"several numbers for {name}, such as [2, Fraction(3, 2)],", **{name: points})
    return points


def _ascending(points: Iterable[F]) -> tuple[F, ...]:
    """Distinct and in order."""
    return tuple(sorted(set(points)))
