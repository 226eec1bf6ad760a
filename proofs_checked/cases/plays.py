"""Games played literally: every deterministic adversary, every pair of fixed streams, every transcript."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.kernels.release import HALT
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, Adjacency

Transcript = tuple[Any, ...]
Pair = tuple[Any, ...]
Adversary = Callable[[Transcript], Pair | None]
"""What to submit after a transcript; None halts."""

Round = Callable[[Any, Any], tuple[tuple[Any, Any, Fraction], ...]]
"""(state, input) -> every (visible output, next state, probability)."""


@lru_cache(maxsize=64)
def _rounds(mechanism: object) -> tuple[Any, Round]:
    """The state before round 1, and the rounds from any state, each asked for once for all adversaries."""
    view = view_of(mechanism)

    @cache
    def round_of(state: Any, x: Any) -> tuple[tuple[Any, Any, Fraction], ...]:
        kernel = view.kernel(state, x)
        return tuple((v, after, Fraction(weight, kernel.denominator)) for v, after, weight in kernel.entries)

    return view.initial, round_of


def view_law(mechanism: object, adversary: Adversary, world: int, horizon: int) -> Pmf[Transcript]:
    """The law of v[1..t] in one world, the world's own input taken from every pair. Source: def:view."""
    initial, round_of = _rounds(mechanism)
    masses: dict[tuple[Transcript, Any], Fraction] = {((), initial): Fraction(1)}
    for _ in range(horizon):
        longer: dict[tuple[Transcript, Any], Fraction] = {}
        for (transcript, state), mass in masses.items():
            for after, share in _answers(round_of, adversary, world, transcript, state):
                longer[after] = longer.get(after, Fraction(0)) + mass * share
        masses = longer
    return Pmf([(transcript, mass) for (transcript, _), mass in masses.items()])


def _answers(
    round_of: Round, adversary: Adversary, world: int, transcript: Transcript, state: Any
) -> Iterator[tuple[tuple[Transcript, Any], Fraction]]:
    """((longer transcript, next state), probability); one that has ended stays as it is."""
    pair = None if transcript[-1:] == (HALT,) else adversary(transcript)
    if pair is None:
        yield (transcript, state), Fraction(1)
        return
    for visible, after, share in round_of(state, pair[world]):
        yield ((*transcript, visible), after), share


def played(mechanism: object, adversary: Adversary, horizon: int) -> PowerFunction:
    """Pow(view in world 0 ‖ view in the last world) against one adversary."""
    return PowerFunction.from_laws(*(view_law(mechanism, adversary, world, horizon) for world in (0, -1)))


def adversaries(
    mechanism: object,
    horizon: int,
    outputs: Sequence[Any],
    relation: Adjacency[Any] = HAMMING,
    *,
    halting: bool = False,
) -> Iterator[Adversary]:
    """Every deterministic adversary, as what it submits after each transcript of `outputs`; some halt if they may."""
    alphabet = view_of(mechanism).alphabet

    def plans(transcript: Transcript, state: Any) -> list[dict[Transcript, Pair]]:
        if len(transcript) == horizon:
            return [{}]
        choices: list[dict[Transcript, Pair]] = [{}] if halting else []
        for pair, after in relation.legal(state, len(transcript) + 1, alphabet):
            for parts in product(*(plans((*transcript, y), after) for y in outputs)):
                choices.append({transcript: pair} | {key: value for part in parts for key, value in part.items()})
        return choices

    return (plan.get for plan in plans((), relation.initial))


def streams(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> list[tuple[Pair, ...]]:
    """Every legal sequence of pairs that can be written down before round 1."""
    prefixes: list[tuple[tuple[Pair, ...], Any]] = [((), relation.initial)]
    alphabet = view_of(mechanism).alphabet
    for t in range(1, horizon + 1):
        prefixes = [((*past, pair), after) for past, s in prefixes for pair, after in relation.legal(s, t, alphabet)]
    return [pairs for pairs, _ in prefixes]


def blind(pairs: Sequence[Pair]) -> Adversary:
    """The adversary that submits fixed streams, whatever it sees."""
    return lambda seen: pairs[len(seen)]


def literal_adaptive(
    mechanism: object, horizon: int, outputs: Sequence[Any], relation: Adjacency[Any] = HAMMING
) -> PowerFunction:
    """The supremum over the list of all deterministic adversaries. Source: defn:power_mech."""
    return supremum(played(mechanism, a, horizon) for a in adversaries(mechanism, horizon, outputs, relation))


def literal_fixed(mechanism: object, horizon: int, relation: Adjacency[Any] = HAMMING) -> PowerFunction:
    """The supremum over the list of all pairs of fixed streams. Source: defn:power_mech, the non-adaptive part."""
    return supremum(played(mechanism, blind(pairs), horizon) for pairs in streams(mechanism, horizon, relation))
