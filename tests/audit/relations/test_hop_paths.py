"""Hops against streams written down: whole streams are listed, neighbours decided by eye, and paths followed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from instances.seeds import chosen
from oracles.hidden import hidden_tree_hockey_stick
from oracles.hidden import hops as named_hops

from dpcert import ANY, EDIT, HAMMING, UNIT_HAMMING, Adjacency, Draw, Pmf, Release, examine, from_weights, uniform
from dpcert.audit.relations import hops as hops_module
from dpcert.audit.relations.adjacency import OVER, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.relations.shapes import PublicHalf, Window

Stream = tuple[Any, ...]
Neighbours = Callable[[Stream, Stream], bool]
PAIRED = ((0, 0), (0, 1), (1, 0))


def differing(x: Stream, y: Stream) -> list[int]:
    return [t for t, (a, b) in enumerate(zip(x, y, strict=True)) if a != b]


def hamming(x: Stream, y: Stream) -> bool:
    return len(differing(x, y)) <= 1


def unit_hamming(x: Stream, y: Stream) -> bool:
    return sum(abs(a - b) for a, b in zip(x, y, strict=True)) <= 1


def zero_out(null: Any) -> Neighbours:
    return lambda x, y: len(differing(x, y)) <= 1 and all(y[t] == null for t in differing(x, y))


def edit(x: Stream, y: Stream) -> bool:
    """One of them is, as far as can be seen, the other without one of its items."""
    return x == y or any(
        a[:t] == b[:t] and a[t + 1 :] == b[t : len(a) - 1] for a, b in ((x, y), (y, x)) for t in range(len(x))
    )


def in_round_two(x: Stream, y: Stream) -> bool:
    return set(differing(x, y)) <= {1}


def window(rounds: int) -> Neighbours:
    return lambda x, y: not differing(x, y) or differing(x, y)[-1] - differing(x, y)[0] < rounds


def public_half(x: Stream, y: Stream) -> bool:
    return hamming(x, y) and all(a[1] == b[1] for a, b in zip(x, y, strict=True))


class RisingOnce:
    """Of the user: directed, and it remembers a number. World 1 has more in one round, and then never less."""

    name = "rising"
    initial = 0

    def legal(self, state: int, round_: int, alphabet: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], int]]:
        for x, y in product(alphabet, repeat=2):
            if x == y and (not state or round_ != 3):
                yield (x, y), state
            if x < y and state + y - x <= 2:
                yield (x, y), state + y - x
            if x == y == 0 and state and round_ == 3:
                yield (x, y), state


def rising(x: Stream, y: Stream) -> bool:
    raised = sum(b - a for a, b in zip(x, y, strict=True))
    beyond = [t for t in (2,) if len(x) > 2 and x[t] == y[t] and x[:t] != y[:t] and x[t] != 0]
    return all(a <= b for a, b in zip(x, y, strict=True)) and raised <= 2 and not beyond


BITS, THREE = (0, 1), (0, 1, 2)
RELATIONS: dict[str, tuple[Adjacency[Any], Neighbours, tuple[Any, ...], tuple[Any, ...]]] = {
    "hamming": (HAMMING, hamming, THREE, ()),
    "unit-hamming": (UNIT_HAMMING, unit_hamming, THREE, ()),
    "unit-hamming with a hole": (UNIT_HAMMING, unit_hamming, (0, 2, 3), ()),
    "zero-out": (ZeroOut(null=0), zero_out(0), THREE, ()),
    "zero-out, null beside": (ZeroOut(null=None), zero_out(None), BITS, (None,)),
    "edit": (EDIT, edit, THREE, ()),
    "any": (ANY, lambda *_: True, BITS, ()),
    "hamming in round 2": (ChallengeAt(HAMMING, 2, forced=False), in_round_two, THREE, ()),
    "window of 2": (Window(2), window(2), BITS, ()),
    "public half": (PublicHalf(), public_half, PAIRED, ()),
    "rising": (RisingOnce(), rising, THREE, ()),
}


def joined(neighbours: Neighbours, inputs: tuple[Any, ...], hops: int, rounds: int) -> set[tuple[Stream, Stream]]:
    """Pairs of streams with a path of `hops` hops between them, each a legal pair in one order or the other."""
    streams = list(product(inputs, repeat=rounds))
    near = {x: [y for y in streams if neighbours(x, y) or neighbours(y, x)] for x in streams}
    ends = {(x, x) for x in streams}
    for _ in range(hops):
        ends = {(first, y) for first, last in ends for y in near[last]}
    return ends


def played(relation: Adjacency[Any], inputs: tuple[Any, ...], rounds: int) -> tuple[list[Any], list[Any]]:
    """Pairs of streams that the game lets through, and shorter ones after which it ends early."""
    found: list[tuple[Stream, Stream, Any]] = [((), (), relation.initial)]
    ended = []
    for t in range(1, rounds + 1):
        longer = [
            ((*x, pair[0]), (*y, pair[1]), after)
            for x, y, state in found
            for pair, after in relation.legal(state, t, inputs)
        ]
        found = [one for one in longer if one[2] is not OVER or t == rounds]
        ended += [(x, y) for x, y, after in longer if after is OVER and t < rounds]
    return [(x, y) for x, y, _ in found], ended


SHAPES = [(hops, rounds) for hops in (1, 2, 3) for rounds in (1, 2, 3, 4)]


@pytest.mark.in_turns
@pytest.mark.parametrize("merging", [True, False])
@pytest.mark.parametrize("name", RELATIONS)
def test_the_game_plays_the_ends_of_paths(name: str, merging: bool) -> None:
    """Each pair once; an early end is one that no longer pair goes beyond, and a path of that many rounds has it."""
    relation, neighbours, alphabet, beside = RELATIONS[name]
    for hops, rounds in SHAPES:
        if not merging and rounds == 4:
            continue
        whole, ended = played(Hops(relation, hops, rounds if merging else None), alphabet, rounds)
        ends = joined(neighbours, (*alphabet, *beside), hops, rounds)
        assert len(whole) == len(set(whole))
        assert set(whole) == ends
        for x, y in ended:
            assert (x, y) in joined(neighbours, (*alphabet, *beside), hops, len(x))
            assert not any(first[: len(x)] == x and last[: len(y)] == y for first, last in ends)


@pytest.mark.parametrize("name", RELATIONS)
def test_one_hop_is_the_relation(name: str) -> None:
    relation, neighbours, alphabet, beside = RELATIONS[name]
    for rounds in (1, 2, 3, 4):
        whole, ended = played(relation, alphabet, rounds)
        streams, others = (list(product((*alphabet, *more), repeat=rounds)) for more in ((), beside))
        assert not ended
        assert len(whole) == len(set(whole))
        assert set(whole) == {(x, y) for x in streams for y in others if neighbours(x, y)}


@pytest.mark.parametrize("most", [10, 200, 1_000])
def test_what_is_not_merged_is_played_as_it_is(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hops_module, "MOST_INPUT_PAIRS", most)
    for hops, rounds in [(2, 4), (3, 3)]:
        whole, _ = played(Hops(EDIT, hops, rounds), THREE, rounds)
        assert len(whole) == len(set(whole))
        assert set(whole) == joined(edit, THREE, hops, rounds)


@dataclass(frozen=True)
class RandomRelation:
    """Three states; a random set of pairs is legal in each, directed, and each leads to a random state."""

    seed: int

    name = "random"
    initial = 0

    def row(self, state: int) -> dict[tuple[int, int], int]:
        rng = Random(repr((self.seed, state)))
        pairs = rng.sample(list(product(BITS, repeat=2)), rng.choice([1, 2, 2, 3]))
        return {pair: rng.randrange(3) for pair in pairs}

    def legal(self, state: int, round_: int, alphabet: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], int]]:
        del round_, alphabet
        yield from self.row(state).items()

    def neighbours(self, x: Stream, y: Stream) -> bool:
        state: int | None = 0
        for pair in zip(x, y, strict=True):
            state = None if state is None else self.row(state).get(pair)
        return state is not None


@pytest.mark.in_turns
def test_random_relations() -> None:
    early = 0
    for seed in range(300):
        relation, hops = RandomRelation(seed), 1 + seed % 3
        whole, ended = played(Hops(relation, hops, 3), BITS, 3)
        assert len(whole) == len(set(whole))
        assert set(whole) == joined(relation.neighbours, BITS, hops, 3), seed
        early += bool(ended)
    assert early >= 5


def test_some_paths_end_early() -> None:
    """Two edits can use up all that a third letter could still be; a horizon further off never shows less."""
    _, ended = played(Hops(EDIT, 2, 4), THREE, 4)
    assert ended
    assert set(ended) <= set(played(Hops(EDIT, 2, 3), THREE, 3)[0])


class Drawn:
    """Random laws by prefix, fixed by `seed`; sharp ones make what a pair can do stand out."""

    def __init__(self, seed: int, alphabet: tuple[Any, ...], null: Any = None) -> None:
        self.seed, self.alphabet, self.null = seed, alphabet, null

    def drawn(self, prefix: Stream) -> Pmf[int]:
        """The law at a prefix."""
        rng = Random(repr((self.seed, prefix)))
        return from_weights({y: rng.choice([0, 0, 1, 1, 3, 7]) for y in (0, 1)} | {2: rng.choice([0, 1])} | {3: 1})


class Table(Drawn):
    """A core with these laws."""

    def law(self, prefix: Stream) -> Pmf[int]:
        return self.drawn(prefix)


class Hidden(Drawn):
    """The same with one hidden bit, drawn in every round."""

    initial = (0, ())

    def step(self, state: tuple[int, Stream], x: Any, draw: Draw) -> tuple[Release[int, None], tuple[int, Stream]]:
        bit, seen = state
        after = draw(from_weights({0: 1, 1: 2}))
        return Release(draw(self.drawn((bit, after, *seen[-1:], x)))), (after, (*seen, x)[-1:])


def transcripts(mechanism: Any, stream: Stream) -> dict[Stream, Fraction]:
    """The law of all outputs on one stream, by writing out every draw."""
    if not hasattr(mechanism, "step"):
        found: dict[Stream, Fraction] = {(): Fraction(1)}
        for t in range(1, len(stream) + 1):
            law = mechanism.law(stream[:t])
            found = {(*seen, y): p * w for seen, p in found.items() for y, w in law.items()}
        return found
    states: dict[tuple[Stream, int], Fraction] = {((), 0): Fraction(1)}
    before: Stream = ()
    for x in stream:
        after: dict[tuple[Stream, int], Fraction] = {}
        for (seen, bit), p in states.items():
            for new, chance in ((0, Fraction(1, 3)), (1, Fraction(2, 3))):
                for y, w in Table.law(mechanism, (bit, new, *before, x)).items():
                    key = (*seen, y), new
                    after[key] = after.get(key, Fraction(0)) + p * chance * w
        states, before = after, (x,)
    summed: dict[Stream, Fraction] = {}
    for (seen, _), p in states.items():
        summed[seen] = summed.get(seen, Fraction(0)) + p
    return summed


def delta(p: dict[Stream, Fraction], q: dict[Stream, Fraction], e: Fraction) -> Fraction:
    return sum((max(Fraction(0), w - e * q.get(y, Fraction(0))) for y, w in p.items()), Fraction(0))


GAMES = [
    ("hamming", BITS, 3, (1, 2, 3)), ("unit-hamming", THREE, 2, (1, 2, 3)), ("zero-out", THREE, 2, (1, 2, 3)),
    ("edit", BITS, 3, (1, 2, 3)), ("edit", THREE, 2, (2, 3)), ("any", BITS, 3, (1, 2)), ("edit", BITS, 4, (2,)),
    ("window of 2", BITS, 3, (1, 2)), ("public half", PAIRED, 2, (1, 2, 3)), ("rising", THREE, 3, (1, 2)),
    ("zero-out, null beside", BITS, 2, (2, 3)),
]  # fmt: skip
GIVEN = {"zero-out": "zero-out", "zero-out, null beside": "zero-out", "edit": "edit", "any": "any"}


def compare(seed: int, kind: type[Table], longest: int = 4) -> None:
    name, alphabet, rounds, allowed = GAMES[seed % len(GAMES)]
    rounds, hops = min(rounds, longest), allowed[seed // len(GAMES) % len(allowed)]
    relation, neighbours, _, beside = RELATIONS[name]
    mechanism = kind(seed, alphabet, null=0 if name == "zero-out" else None)
    record = examine(
        mechanism, horizon=rounds, hops=hops, adjacency=GIVEN.get(name, relation), exp_epsilons=[1, Fraction(3, 2)]
    )
    inputs = (*alphabet, *beside)
    ends = joined(neighbours, inputs, hops, rounds)
    laws = {x: transcripts(mechanism, x) for x in product(inputs, repeat=rounds)}
    for row, e in zip(record["fixed_stream"]["delta"], (Fraction(1), Fraction(3, 2)), strict=True):
        best = max(delta(p, q, e) for x, y in ends for p, q in ((laws[x], laws[y]), (laws[y], laws[x])))
        assert Fraction(row["lower"]) == Fraction(row["upper"]) == best, (seed, name, hops, rounds, e)
    for strategy in record["adaptive"]["strategies"]:
        assert strategy["delta"] == strategy["replayed"]


class CoinFirst:
    """Round 2 shows a coin; round 3 tells 00 from 11 if its input is what the coin shows, else nothing."""

    alphabet, initial, null = BITS, ((), 0), None

    def step(self, state: tuple[Stream, int], x: int, draw: Draw) -> tuple[Release[int, None], tuple[Stream, int]]:
        seen, coin = (*state[0], x), state[1]
        shown = 0
        if len(seen) == 2:
            shown = coin = draw(uniform(BITS))
        if len(seen) == 3:
            shown = seen[0] if seen[0] == seen[1] and x == coin else draw(uniform(BITS))
        return Release(shown), (seen, coin)


def test_the_middle_need_not_be_named_in_advance() -> None:
    """Both (000, 110) and (001, 111) are two edits apart, but over streams that begin differently."""

    def literal(pairs: Any) -> bool:
        return edit(*(tuple(stream) for stream in zip(*pairs, strict=True))) if pairs else True

    record = examine(CoinFirst(), horizon=3, hops=2, adjacency="edit", exp_epsilons=[1])
    named: Any = named_hops(literal, 2)
    assert record["adaptive"]["total_variation"] == "1"
    assert record["fixed_stream"]["total_variation"] == "1/2"
    assert hidden_tree_hockey_stick(CoinFirst(), BITS, 3, named, Fraction(1), "0-1") == Fraction(3, 4)


@pytest.mark.in_turns
@pytest.mark.parametrize("kind", [Table, Hidden])
def test_fixed_streams_reach_what_paths_reach(kind: type[Table]) -> None:
    for seed in chosen(range(33), 11):
        compare(seed, kind, 4 if kind is Table else 2)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [Table, Hidden])
def test_many_fixed_streams_reach_what_paths_reach(kind: type[Table]) -> None:
    for seed in range(33, 1500):
        compare(seed, kind)
