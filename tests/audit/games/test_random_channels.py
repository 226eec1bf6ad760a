"""Post-processing by a random exact channel never helps an adversary; a relabelling changes nothing. Both curves.

The channel is drawn from inside the game: an observer sees its outputs only, and it may remember what it has seen.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from instances.hidden_state import random_interactive, random_law
from instances.random_core import RandomCore, random_core
from instances.seeds import chosen

from dpcert import HALT, Budget, Draw, Pmf, PowerFunction, Release, bernoulli, dp_power, point
from dpcert.audit.games import beliefs
from dpcert.audit.games.of_views import game_of
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.analysis import analyse
from dpcert.mechanisms.two_round import TwoRound

RELATIONS: list[Adjacency[Any]] = [HAMMING, ChallengeAt(HAMMING, 1), UNIT_HAMMING, ZeroOut(null=0), Hops(HAMMING, 2)]
Channel = Mapping[tuple[int, Any], Pmf[tuple[Any, int]]]
"""(memory, visible output) -> law of (what is shown, memory afterwards)."""


@dataclass(frozen=True)
class Through:
    """An Interactive behind a channel, whose memory starts at 0. HALT passes; the channel may also halt by itself."""

    mechanism: Any
    channel: Channel

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return tuple(self.mechanism.alphabet)

    @property
    def initial(self) -> tuple[Any, int]:
        return self.mechanism.initial, 0

    def step(self, state: tuple[Any, int], x: Any, draw: Draw) -> tuple[Release[Any, Any], tuple[Any, int]]:
        """The inner step, then the channel's draw."""
        inner, memory = state
        release, after = self.mechanism.step(inner, x, draw)
        if release.visible is HALT:
            return release, (after, memory)
        shown, memory = draw(self.channel[memory, release.visible])
        return Release(shown, release.visible), (after, memory)


@dataclass(frozen=True)
class CoreThrough:
    """A PrefixCore behind a channel without memory, applied to its laws."""

    core: RandomCore
    channel: Mapping[Any, Pmf[Any]]

    @property
    def alphabet(self) -> tuple[int, ...]:
        return self.core.alphabet

    def law(self, prefix: tuple[int, ...]) -> Pmf[Any]:
        """The mixture of the channel's laws."""
        return Pmf.mix((share, self.channel[y]) for y, share in self.core.law(prefix).items())


@dataclass(frozen=True)
class Drawn:
    """A PrefixCore as an Interactive whose state is the prefix."""

    core: Any
    initial: tuple[Any, ...] = ()

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return tuple(self.core.alphabet)

    def step(self, state: tuple[Any, ...], x: Any, draw: Draw) -> tuple[Release[Any, Any], tuple[Any, ...]]:
        """A draw from the core's law."""
        return Release(draw(self.core.law((*state, x)))), (*state, x)


@dataclass(frozen=True)
class Curves:
    """The power functions against adaptive adversaries and against fixed streams."""

    adaptive: PowerFunction
    fixed: PowerFunction

    def within(self, others: "Curves") -> bool:
        """Whether both are nowhere higher."""
        return self.adaptive <= others.adaptive and self.fixed <= others.fixed


def curves(mechanism: Any, relation: Adjacency[Any], horizon: int) -> Curves:
    """Both curves, exact: the default budget is enough for all games here."""
    found = analyse(game_of(view_of(mechanism), relation, horizon), Budget())
    assert found.stopped is None
    assert found.adaptive.lower == found.adaptive.upper
    assert found.fixed.lower == found.fixed.upper
    return Curves(found.adaptive.lower, found.fixed.lower)


def random_channel(rng: Random, outputs: list[Any], shown: list[Any], memories: int) -> Channel:
    """A law with small integer weights, zeros included, for every memory and output."""
    answers = [(z, m) for z in shown for m in range(memories)]
    return {(m, y): random_law(rng, answers) for m in range(memories) for y in outputs}


def relabelling(rng: Random, outputs: list[Any], memories: int) -> Channel:
    """For every memory a bijection on the outputs; the memory that follows depends on the output."""
    channel: dict[tuple[int, Any], Pmf[tuple[Any, int]]] = {}
    for memory in range(memories):
        names = rng.sample(["a", "b", ("c", 0), 0, 1], len(outputs))
        for y, name in zip(outputs, names, strict=True):
            channel[memory, y] = point((name, rng.randrange(memories)))
    return channel


def alone(channel: Channel) -> dict[Any, Pmf[Any]]:
    """A channel without memory as one on outputs."""
    return {y: law.map(lambda answer: answer[0]) for (_, y), law in channel.items()}


@dataclass(frozen=True)
class Example:
    """A random small game and its visible outputs."""

    mechanism: Any
    outputs: list[int]
    relation: Adjacency[Any]
    horizon: int


def example(seed: int) -> Example:
    """A core for even seeds, hidden state for odd ones, every other one of these with HALT; 1 to 3 rounds."""
    horizon = (1, 2, 2, 3)[seed // 10 % 4]
    relation, outputs = RELATIONS[seed // 2 % 5], 2 + seed // 4 % 2
    if horizon == 3 and isinstance(relation, Hops):
        horizon = 2
    if seed % 2 == 0:
        core = random_core(7000 + seed, 2 + seed // 100 % 2, outputs, horizon)
        return Example(core, list(range(outputs)), relation, horizon)
    visibles = 2 if horizon == 3 else outputs
    mechanism, _ = random_interactive(7000 + seed, 2, 2, visibles, allow_halt=seed % 4 == 1)
    return Example(mechanism, list(range(visibles)), relation, horizon)


def check(seed: int) -> tuple[bool, bool]:
    """Order and equality for one game; whether the channel lowered the adaptive and the fixed curve."""
    rng, game = Random(seed), example(seed)
    memories = 1 + seed // 3 % 2
    channel = random_channel(rng, game.outputs, [0, 1, 2][: 2 + seed // 5 % 2], memories)
    names = relabelling(rng, game.outputs, memories)
    before = curves(game.mechanism, game.relation, game.horizon)
    inner = Drawn(game.mechanism) if isinstance(game.mechanism, RandomCore) else game.mechanism
    after = curves(Through(inner, channel), game.relation, game.horizon)
    assert after.within(before)
    assert curves(Through(inner, names), game.relation, game.horizon) == before
    if isinstance(game.mechanism, RandomCore) and memories == 1:
        assert curves(CoreThrough(game.mechanism, alone(channel)), game.relation, game.horizon) == after
        assert curves(CoreThrough(game.mechanism, alone(names)), game.relation, game.horizon) == before
    return after.adaptive < before.adaptive, after.fixed < before.fixed


@pytest.mark.in_turns
@pytest.mark.parametrize("block", chosen(range(10)))
def test_a_channel_never_helps_and_a_relabelling_changes_nothing(block: int) -> None:
    lowered = [check(seed) for seed in range(30 * block, 30 * block + 30)]
    assert sum(adaptive for adaptive, _ in lowered) >= 15
    assert sum(fixed for _, fixed in lowered) >= 15


@pytest.mark.parametrize("seed", chosen(range(40)))
def test_a_channel_that_halts_by_itself_never_helps(seed: int) -> None:
    game = example(2 * seed + 1)
    channel = random_channel(Random(seed), game.outputs, [0, 1, HALT], memories=1)
    after = curves(Through(game.mechanism, channel), game.relation, game.horizon)
    assert after.within(curves(game.mechanism, game.relation, game.horizon))


def flipped(chance: Fraction) -> dict[int, Pmf[int]]:
    """The channel that flips a bit with this probability; below 1/2 it can be inverted, and loses all the same."""
    return {0: bernoulli(chance), 1: bernoulli(1 - chance)}


def remembering(channel: Mapping[Any, Pmf[Any]]) -> Channel:
    """A channel on outputs as one with a memory that it does not use."""
    return {(0, y): law.map(lambda z: (z, 0)) for y, law in channel.items()}


def test_flips_weaken_randomised_response() -> None:
    """Truth 3/4, then truth 3/4 again: truth 5/8, so e^epsilon falls from 3 to 5/3."""
    response = RandomCore((0, 1), {(0,): (3, 1), (1,): (1, 3)})
    before = curves(response, HAMMING, 1)
    after = curves(CoreThrough(response, flipped(Fraction(1, 4))), HAMMING, 1)
    assert before == Curves(dp_power(3), dp_power(3))
    assert after == Curves(dp_power(Fraction(5, 3)), dp_power(Fraction(5, 3)))
    assert after.adaptive < before.adaptive
    assert after.fixed < before.fixed


def test_flips_weaken_the_two_round_mechanism_and_keep_its_gap() -> None:
    before = curves(TwoRound(), HAMMING, 2)
    after = curves(Through(Drawn(TwoRound()), remembering(flipped(Fraction(1, 4)))), HAMMING, 2)
    assert before.adaptive.total_variation == Fraction(991, 10000)
    assert after.adaptive < before.adaptive
    assert after.fixed < before.fixed
    assert after.fixed < after.adaptive


# ---------------------------------------------------------------- these tests can fail


@dataclass(frozen=True)
class Peeking:
    """No post-processing: it shows a function of the hidden state too."""

    mechanism: Any
    shown: Callable[[Any], Hashable]

    @property
    def alphabet(self) -> tuple[Any, ...]:
        return tuple(self.mechanism.alphabet)

    @property
    def initial(self) -> Any:
        return self.mechanism.initial

    def step(self, state: Any, x: Any, draw: Draw) -> tuple[Release[Any, Any], Any]:
        """The inner step, the state shown beside its output."""
        release, after = self.mechanism.step(state, x, draw)
        return release if release.visible is HALT else Release((release.visible, self.shown(after))), after


def test_showing_the_state_helps() -> None:
    games = [example(seed) for seed in range(1, 40, 2)]
    more = [Peeking(game.mechanism, lambda state: state) for game in games]
    before = [curves(game.mechanism, game.relation, game.horizon) for game in games]
    after = [curves(m, game.relation, game.horizon) for m, game in zip(more, games, strict=True)]
    assert all(b.within(a) for b, a in zip(before, after, strict=True))
    assert sum(not a.within(b) for b, a in zip(before, after, strict=True)) >= 10


def test_a_merge_of_two_outputs_is_no_relabelling() -> None:
    core = RandomCore((0, 1), {(0,): (1, 2, 3), (1,): (2, 1, 3)})
    merged = CoreThrough(core, {0: point("a"), 1: point("a"), 2: point("b")})
    assert curves(merged, HAMMING, 1) != curves(core, HAMMING, 1)


@pytest.mark.in_turns
def test_a_fault_in_the_beliefs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: every state that is possible is taken for equally likely."""
    monkeypatch.setattr(beliefs, "normalised", lambda masses: tuple((state, 1) for state in sorted(masses)))
    with pytest.raises(AssertionError):
        check_many()


def check_many() -> None:
    for seed in range(1, 200, 2):
        check(seed)
