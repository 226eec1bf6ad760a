"""What the hybrid mechanism's core gives away over a horizon, as one curve: exactly, or from above."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod

from dpcert.audit.algebra.power import PowerFunction, dp_power, supremum
from dpcert.audit.errors import expected
from dpcert.mechanisms.noise.bounded_geometric import bounded_geometric, unit_shift
from dpcert.mechanisms.sums.hybrid_noise import HybridNoise
from dpcert.mechanisms.sums.hybrid_spent import most_spent

MOST_SHARP = 63
"""Rounds of the sharp budget whose items are told apart; past them the curve is an upper bound."""
ROUNDING_BITS = 64
"""Where a curve is a bound anyway, the bits beyond its size with which its delta is rounded up."""

Rounds = Counter[tuple[Fraction, Fraction]]
"""(e^eps, truncation) of a noise law -> how many of the rounds that hold an item draw from it."""


@dataclass(frozen=True)
class HybridProfile:
    """What paired runs whose inputs differ by 1 in one round show, adaptively chosen or not.

    Args:
        power: The curve: of no experiment more is learned.
        exact: Whether it is attained; else it is an upper bound.
        spent: e^eps of the rounds that hold one item, multiplied up, for the item with the most: exactly.
        truncation: The probability that a noise of such a round is at an end that only one world reaches, for the item
            with the most; where `exact` is false because rounds are many, the most that it may be.
    """

    power: PowerFunction
    exact: bool
    spent: Fraction
    truncation: Fraction


@lru_cache(maxsize=256)
def hybrid_power(noise: HybridNoise, horizon: int, *, ideal: bool = False) -> HybridProfile:
    """sup over items i of the tensor over the rounds t that hold i of Pow(eta_t || eta_t + 1), up to `horizon`.

    It is the curve of the game on HybridCore: common inputs shift both worlds' laws alike (claims 65, 79), and rounds
    that do not hold the item show nothing. With the uniform budget one item a segment is enough, its first: no other
    is held by more rounds, at any horizon, and all their laws are the same. With the sharp one items are told apart
    over few rounds; past these DP_{spent,truncation} stands for all, which item 1 attains where nothing is cut off.

    Args:
        noise: The noise of the rounds.
        horizon: T, in rounds, at least 1.
        ideal: With Geom on all integers in place of its bounded law: then nothing is cut off, and truncation is 0.

    >>> profile = hybrid_power(HybridNoise(Fraction(16), truncation=Fraction(1, 4)), 3)
    >>> profile.exact, profile.spent, profile.truncation, profile.power.delta(16)
    (True, Fraction(16, 1), Fraction(51, 676), Fraction(51, 676))
    """
    if horizon < 1:
        raise expected("a horizon of at least 1 round", horizon=horizon)
    cost = most_spent(noise, horizon)
    if noise.budget != "uniform" and horizon > MOST_SHARP:
        lost = Fraction(0) if ideal else noise.truncation
        return HybridProfile(dp_power(cost, lost), ideal and cost == noise.exp_epsilon_at(1), cost, lost)
    candidates = list(_held(noise, horizon))
    losses = [Fraction(0) if ideal else _lost(rounds) for rounds in candidates]
    exact = ideal or all(_whole(*law) for rounds in candidates for law in rounds)
    shown = [loss if exact else _rounded_up(loss) for loss in losses]
    power = supremum(revealed(_pure(rounds), loss) for rounds, loss in zip(candidates, shown, strict=True))
    return HybridProfile(power, exact, cost, max(losses))


def _held(noise: HybridNoise, horizon: int) -> Iterator[Rounds]:
    """The rounds that hold an item, for items enough: what others show is less, or the same."""
    uniform = noise.budget == "uniform"
    items = [1 << k for k in range(horizon.bit_length())] if uniform else range(1, horizon + 1)
    others: list[Rounds] = []
    for i in items:
        rounds = Counter(
            (noise.exp_epsilon_at(t), noise.truncation / t.bit_length()) for t in noise.schedule.holding(i, horizon)
        )
        if uniform or not any(rounds <= other for other in others):
            others.append(rounds)
            yield rounds


def _pure(rounds: Rounds) -> PowerFunction:
    """The tensor of DP_{eps,0} over the rounds."""
    copies: Counter[Fraction] = Counter()
    for (alpha, _), n in rounds.items():
        copies[alpha] += n
    return _tensor(dp_power(alpha).tensor_power(n) for alpha, n in copies.items())


def _tensor(powers: Iterable[PowerFunction]) -> PowerFunction:
    product = PowerFunction.identity()
    for power in powers:
        product = product.tensor(power)
    return product


def _lost(rounds: Rounds) -> Fraction:
    """1 - the product of 1 - delta_t: that an end shows in some round."""
    return 1 - prod(((1 - unit_shift(bounded_geometric(*law))[1]) ** n for law, n in rounds.items()), start=Fraction(1))


@lru_cache(maxsize=1024)
def _whole(alpha: Fraction, truncation: Fraction) -> bool:
    """Whether every mass of the law is alpha times its outer neighbour, so that its curve is DP_{eps,delta} itself."""
    weights, _ = bounded_geometric(alpha, truncation).integer_weights()
    return all(weights[k] == alpha * weights[k + 1] for k in range(max(weights)))


def _rounded_up(loss: Fraction) -> Fraction:
    """A little more, with a short denominator."""
    steps = 1 << (loss.denominator // loss.numerator).bit_length() + ROUNDING_BITS
    return Fraction(-(-loss * steps // 1), steps)


def revealed(power: PowerFunction, loss: Fraction) -> PowerFunction:
    """With probability `loss` the world itself is shown, else the experiment of `power`.

    DP_{eps,delta} is this of DP_{eps,0}, and a tensor of such is this of the tensor.

    >>> revealed(dp_power(3), Fraction(1, 8)) == dp_power(3, Fraction(1, 8))
    True
    """
    rest = 1 - loss
    body = [(rest * a, rest * b) for a, b in power.segments]
    return PowerFunction.from_segments([(Fraction(0), loss), *body, (loss, Fraction(0))])


def clipped(power: PowerFunction, beta: Fraction) -> PowerFunction:
    """min(1, f(a) + beta, f(a + beta)): what is shown once releases are clipped to E(t) around the true sum.

    delta(A) rises by at most beta, at every A >= 0 and in both orders of worlds. Let the raw error exceed E(t) - 1 in
    some round with probability at most beta; true sums are at most 1 apart. A transcript that is within E(t) - 1 of
    world 0's sums throughout is never clipped in world 0: there it is as likely as before. It is within E(t) of world
    1's sums, where clipping leaves such a run alone and may add others to it: there it is no less likely. So
    sup_S P(S) - A Q(S) rises by no more than the other transcripts weigh in world 0, and they weigh beta. The first
    curve is that statement for Q against P, the second for P against Q. So E = floor(B) + 1 is enough for a raw error
    of at most B, where the paper has ceil(B) + 2.

    Args:
        power: f, of the raw releases, for all adversaries.
        beta: A probability.
    Source: paper.tex, th:prefix_sum, stage 2; claims 82.

    >>> clipped(dp_power(3), Fraction(1, 10)).segments[:2]
    ((Fraction(0, 1), Fraction(1, 10)), (Fraction(9, 40), Fraction(27, 40)))
    """
    if not 0 <= beta <= 1:
        raise expected("a beta from 0 to 1", beta=beta)
    if beta == 1:
        return dp_power(1, 1)
    at = _crossing(power, beta)
    corners = power.vertices
    before = [(x, y + beta) for x, y in corners[1:] if x < at]
    after = [(x - beta, y) for x, y in corners if x > at + beta]
    head = power(0) + beta if at else power(beta)
    return PowerFunction.from_vertices(
        [
            (Fraction(0), Fraction(0)),
            (Fraction(0), head),
            *before,
            (at, power(at + beta)),
            *after,
            (Fraction(1), Fraction(1)),
        ]
    )


def _crossing(power: PowerFunction, beta: Fraction) -> Fraction:
    """The least a from which on f(a + beta) is at most f(a) + beta: f rises ever more slowly, to 1 at 1."""

    def excess(a: Fraction) -> Fraction:
        return beta - power(a + beta) + power(a)

    corners = sorted({a for x, _ in power.vertices for a in (x, x - beta) if 0 <= a <= 1 - beta} | {Fraction(0)})
    low = bisect_left(corners, True, hi=len(corners) - 1, key=lambda a: excess(a) >= 0)
    here, there = corners[low - 1] if low else Fraction(0), corners[low]
    below, above = excess(here), excess(there)
    return here if below >= 0 else here + (there - here) * -below / (above - below)
