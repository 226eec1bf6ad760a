"""Additive noise on weighted sums of the inputs: cores whose laws are put together here, from weights and noise."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from itertools import repeat
from typing import Any, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.label import exactly_of_numbers, label
from dpcert.audit.kernels.laws_digest import Written
from dpcert.audit.kernels.progressions import (
    Progression,
    Progressions,
    checked_progressions,
    first_untold,
    kinds_of_rounds,
    missing_round,
    weights_of_input,
)
from dpcert.audit.kernels.stretches import Stretches, checked, stretches_of, written_out
from dpcert.audit.limits import look
from dpcert.audit.outside.guards import place_of

LISTED_ROUNDS = 4_471
"""Rounds up to which a digest has the weights one by one, some 10,000,000; past it as stretches."""
COMPARED_ROUNDS = 64
"""Rounds in which weights, stretches and progressions are held against each other, where a mechanism gives several."""
ROUNDS_AT_ONCE = 64
"""Rounds of additive noise that are asked for in one question."""

_INTEGER = frozenset({int})
Vector = Any
"""A whole number, or a tuple of them."""
Rounds = Sequence[int]
T = TypeVar("T")
State = tuple[int, tuple[Vector, ...]]
"""(round, this round's sum and what later rounds' sums have so far)."""


@frozen
class Linear:
    """Y_t = sum_i weights(t)_i x_i + eta_t, eta_t fresh from noise_law(t); modulo `modulus` if there is one.

    The law is made here and nowhere else, of whole numbers whose sums are exact, so a common shift of both worlds'
    inputs shifts both laws alike, whatever the horizon and the alphabet. The first answer for each round is kept. A
    mechanism that gives its weights as stretches is not asked for them one by one, and one that tells its rounds as
    progressions is asked for nothing else.
    Source: paper.tex, sec:cert (lower-triangular mechanisms).
    """

    name: str
    zero: Vector
    modulus: int | None
    _weights: Callable[[int], object] | None
    _noise: Callable[[int], object] | None
    _stretches: Callable[[int], object] | None = None
    _progressions: Callable[[], object] | None = None
    _rows: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False)
    _laws: dict[int, Pmf[Vector]] = field(default_factory=dict, compare=False)
    _kept: dict[int, Stretches] = field(default_factory=dict, compare=False)
    _distinct: dict[Pmf[Vector], Pmf[Vector]] = field(default_factory=dict, compare=False)
    _met: dict[int, Pmf[Vector]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.modulus is not None and (type(self.modulus) is not int or self.modulus < 1):
            what = f"Expected {self.name}.modulus to be a whole number of at least 1, exactly an int,"
            raise MechanismError(f"{what} but got {_typed(self.modulus)}")

    @property
    def sparse(self) -> bool:
        """Whether the mechanism tells its weights in fewer words than one by one."""
        return self._stretches is not None or self.told_at_once

    @property
    def told_at_once(self) -> bool:
        """Whether the mechanism tells its rounds as progressions."""
        return self._progressions is not None

    @cached_property
    def progressions(self) -> Progressions:
        """The rounds as progressions; none where they are told one by one."""
        return self._progressions_again() if self.told_at_once else ()

    @property
    def members(self) -> str:
        """What of the mechanism's is asked for its laws."""
        if self.told_at_once:
            return "progressions"
        return "weights and noise_law" if self._stretches is None else "stretches and noise_law"

    def taken_for_granted(self, rounds: int) -> str:
        """What was not held against what is asked for, in a sentence; empty where that is all that the mechanism says.

        Args:
            rounds: Those that were looked at.
        """
        beside = [("weights", self._weights)]
        if self.told_at_once:
            beside += [("stretches", self._stretches), ("noise_law", self._noise)]
        named = " and ".join(name for name, told in beside if told is not None)
        if not self.sparse or not named or rounds <= COMPARED_ROUNDS:
            return ""
        return f" {named} were held against that in rounds 1 to {COMPARED_ROUNDS} (COMPARED_ROUNDS), and are not asked."

    def read(self, rounds: int) -> None:
        """Asks for all that rounds 1 to `rounds` are made of, as far as it is not known.

        Raises: MechanismError: some of them are told by nothing, or one of the first few otherwise than beside it.
        """
        if self.told_at_once:
            if (t := missing_round(self.progressions, rounds)) is not None:
                raise self._untold(t)
            for t in range(1, min(rounds, COMPARED_ROUNDS) + 1):
                self.stretches(t)
                self.noise(t)
            return
        for block in _blocks(rounds):
            look()
            if news := [t for t in block if t not in self._laws]:
                self._laws.update(zip(news, self._noises_again(news), strict=True))
            rows: dict[int, Any] = self._rows if self._stretches is None else self._kept
            if news := [t for t in block if t not in rows]:
                rows.update(zip(news, self._weighings_again(news), strict=True))
                for t in news:
                    self._compare(t)

    @property
    def first_untold(self) -> int | None:
        """The first round that nothing tells, where rounds are told at once; None where there is none such."""
        return first_untold(self.progressions) if self.told_at_once else None

    def rounds_of_each_kind(self, rounds: int) -> tuple[int, ...]:
        """Rounds up to `rounds` of which some has the noise of any of them, and all weights of it."""
        if self.told_at_once:
            return kinds_of_rounds(self.progressions, rounds)
        kinds: dict[object, int] = {}
        for t in range(1, rounds + 1):
            look()
            kinds.setdefault((place_of(self.noise(t)), tuple(b for *_, b in self.stretches(t))), t)
        return tuple(kinds.values())

    def weights(self, t: int) -> tuple[int, ...]:
        """b_t: one whole number for each of rounds 1 to t."""
        if t not in self._rows:
            self._rows[t] = written_out(self.stretches(t), t) if self.sparse else self._weighings_again((t,))[0]
        return self._rows[t]

    def stretches(self, t: int) -> Stretches:
        """The weights of round t other than 0, in stretches of rounds that it weighs alike."""
        if not self.sparse:
            return stretches_of(self.weights(t))
        if t not in self._kept:
            told = self._progression(t).stretches(t) if self.told_at_once else self._weighings_again((t,))[0]
            if self.told_at_once and t > COMPARED_ROUNDS:
                return told  # is as quickly worked out anew
            self._kept[t] = told
            self._compare(t)
        return self._kept[t]

    def noise(self, t: int) -> Pmf[Vector]:
        """The law of eta_t; equal ones are one object."""
        if self.told_at_once:
            return self._progression(t).noise
        if t not in self._laws:
            self._laws[t] = self._noises_again((t,))[0]
        return self._laws[t]

    def _progression(self, t: int) -> Progression:
        for one in self.progressions:
            if one.holds(t):
                return one
        raise self._untold(t)

    def _untold(self, t: int) -> MechanismError:
        return MechanismError(f"Expected {self.name}.progressions() to hold round {integer_text(t)} but got none there")

    def _compare(self, t: int) -> None:
        """Holds one of the first rounds against what the mechanism says of it otherwise.

        Raises: MechanismError: that is something else.
        """
        if t > COMPARED_ROUNDS or not self.sparse:
            return
        at = integer_text(t)
        member = f"progressions() at round {at}" if self.told_at_once else f"stretches({at})"
        if self._weights is not None:
            (listed,) = self._asked("weights", self._weights, self._row, (t,))
            self._same(member, f"weights({at})", listed, written_out(self._kept[t], t), self._kept[t])
        if self.told_at_once and self._stretches is not None:
            (told,) = self._asked("stretches", self._stretches, self._told, (t,))
            self._same(member, f"stretches({at})", written_out(told, t), written_out(self._kept[t], t), self._kept[t])
        if self.told_at_once and self._noise is not None:
            (law,) = self._asked("noise_law", self._noise, self._law, (t,))
            self._same(f"the noise of {member}", f"noise_law({at})", law, self.noise(t), self.noise(t))

    def _same(self, member: str, other: str, one: object, known: object, shown: object) -> None:
        if one != known:
            what = f"Expected {self.name}.{member} to be its {other} {label(one)}"
            raise MechanismError(f"{what} but got {label(shown)}")

    def _asked(
        self, member: str, function: Callable[[int], object], checked_as: Callable[[int, object], T], rounds: Rounds
    ) -> list[T]:
        """New answers to the question for some rounds, in one go, each looked at."""
        with answering(f"{self.name}.{member}", function):
            return [checked_as(t, function(t)) for t in rounds]

    def _progressions_again(self) -> Progressions:
        """A new answer to the question for all rounds."""
        if self._progressions is None:
            raise RuntimeError("no progressions to ask for")
        with answering(f"{self.name}.progressions", self._progressions):
            return checked_progressions(self.name, self._progressions(), self._noise_like)

    def _weighings_again(self, rounds: Rounds) -> list[tuple[Any, ...]]:
        """New answers to the questions for the weights of some rounds, one by one or as stretches, as they are told."""
        if self._stretches is not None:
            return self._asked("stretches", self._stretches, self._told, rounds)
        if self._weights is None:
            raise RuntimeError("no weights to ask for")
        return self._asked("weights", self._weights, self._row, rounds)

    def _noises_again(self, rounds: Rounds) -> list[Pmf[Vector]]:
        """New answers to the questions for the noise of some rounds."""
        if self._noise is None:
            raise RuntimeError("no noise to ask for")
        return self._asked("noise_law", self._noise, self._law, rounds)

    def _told(self, t: int, answer: object) -> Stretches:
        return checked(self.name, t, answer)

    def _row(self, t: int, row: object) -> tuple[int, ...]:
        if type(row) is not tuple or len(row) != t:
            raise MechanismError(f"Expected {self.name}.weights({t}) to be {t} whole numbers but got {label(row)}")
        if not _INTEGER.issuperset(map(type, row)):
            what = f"Expected {self.name}.weights({t}) to be {t} whole numbers, each exactly an int,"
            raise MechanismError(f"{what} but got {_typed(next(b for b in row if type(b) is not int))}")
        return row

    def _law(self, t: int, law: object) -> Pmf[Vector]:
        known = self._met.get(place_of(law))
        return known if known is not None and known is law else self._noise_like(f"noise_law({t})", law)

    def _noise_like(self, place: str, law: object) -> Pmf[Vector]:
        """A law of noise, looked at; equal ones are one object."""
        member = place.partition("(")[0]
        if type(law) is not Pmf:
            raise MechanismError(f"Expected {self.name}.{member} to return a Pmf but got {type(law).__name__}")
        for eta in law.support:
            if not self.takes(eta):
                each = "exactly an int" if self.zero == 0 else f"exactly a tuple of {len(self.zero)} ints"
                what = f"Expected {self.name}.{place} to be a law of whole numbers, each {each},"
                raise MechanismError(f"{what} but got outcome {_typed(eta)}")
        found = self._distinct.setdefault(law, law)
        self._met[place_of(found)] = found  # is kept, so nothing else comes to stand there
        return found

    def takes(self, value: object) -> bool:
        """Whether a value is an input or a noise value of this shape, its numbers exactly of type int."""
        if type(self.zero) is int:
            return type(value) is int
        return type(value) is tuple and len(value) == len(self.zero) and all(type(c) is int for c in value)

    def changed(self, horizon: int) -> tuple[str, Any, Any] | None:
        """What is answered otherwise when rounds 1 to `horizon` are asked for again, the last ones first.

        The member with its round, the first answer and the other one; None where nothing changes.
        """
        self.read(horizon)
        if self.told_at_once:
            told, again_told = self.progressions, self._progressions_again()
            return None if told == again_told else ("progressions()", told, again_told)
        weighing = "weights" if self._stretches is None else "stretches"
        first_weighing = self.weights if self._stretches is None else self.stretches
        members: tuple[tuple[str, Callable[[int], object], Callable[[Rounds], list[Any]]], ...]
        members = (
            ("noise_law", self.noise, self._noises_again),
            (weighing, first_weighing, self._weighings_again),
        )
        for block in reversed(_blocks(horizon)):
            look()
            for member, first, again in members:
                for t, now in zip(block[::-1], again(block[::-1]), strict=True):
                    if (before := first(t)) is not now and before != now:
                        return f"{member}({t})", before, now
        return None

    def told(self, rounds: int) -> Iterator[tuple[object, Pmf[Vector]]]:
        """All that laws are made of: the weights other than 0 with their rounds, and the noise."""
        if self.told_at_once:
            for one in self.progressions:
                if one.until(rounds):
                    yield ("progression", *one.within(rounds)), one.noise
            return
        for t in range(1, rounds + 1):
            look()
            if rounds > LISTED_ROUNDS:
                state = ("stretches", t, self.stretches(t))
                yield Written(exactly_of_numbers(state)), self.noise(t)
                continue
            yield ("weights", t, tuple((i, b) for i, b in enumerate(self.weights(t), 1) if b)), self.noise(t)

    def after(self, prefix: tuple[Vector, ...]) -> Pmf[Vector]:
        """The law of round t = len(prefix)."""
        total = self.zero
        for b, x in zip(self.weights(len(prefix)), prefix, strict=True):
            total = self.plus(total, x, b)
        return self.shifted(len(prefix), total)

    def shifted(self, t: int, total: Vector) -> Pmf[Vector]:
        """The noise of round t around a sum."""
        return self.noise(t).map(lambda eta: self.plus(eta, total, 1))

    def plus(self, total: Vector, x: Vector, b: int) -> Vector:
        """total + b x, coordinate by coordinate, modulo `modulus` if there is one."""
        if isinstance(total, tuple):
            return tuple(self.plus(u, v, b) for u, v in zip(total, x, strict=True))
        return (total + b * x) if self.modulus is None else (total + b * x) % self.modulus

    def start(self, horizon: int) -> State:
        """The state before round 1 of `horizon`, in which streams with the same sums are one."""
        return 0, (self.zero,) * (horizon + 1)

    def advance(self, horizon: int) -> Callable[[State, Vector], Hashable]:
        """Adds an input to the sums of its round and of all later ones."""
        rows: list[tuple[int, ...]] = []
        columns: dict[int, list[int]] = {}

        def column(t: int) -> list[int]:
            """How rounds t + 1 to `horizon` weigh the input of round t + 1."""
            if self.told_at_once:
                return weights_of_input(self.progressions, t + 1, horizon)
            for round_ in range(len(rows) + 1, horizon + 1):
                look()
                rows.append(self.weights(round_))
            return [row[t] for row in rows[t:]]

        def after(state: State, x: Vector) -> State:
            t, sums = state
            if t not in columns:
                columns[t] = column(t)
            return t + 1, tuple(map(self.plus, sums[1:], repeat(x), columns[t]))

        return after

    def law(self, state: State) -> Pmf[Vector]:
        """The law of the round that led to a state."""
        return self.shifted(state[0], state[1][0])


def _blocks(rounds: int) -> list[range]:
    """Rounds 1 to `rounds`, some at a time."""
    return [range(t, min(rounds, t + ROUNDS_AT_ONCE - 1) + 1) for t in range(1, rounds + 1, ROUNDS_AT_ONCE)]


def _typed(value: object) -> str:
    return f"{label(value)} of type {type(value).__name__}"
