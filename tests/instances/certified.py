"""Random audits to be certified, each with the truth about it from an oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any, TypeAlias

from instances.hidden_state import HALT, random_interactive
from instances.random_core import Prefix, RandomCore, random_core
from oracles.hidden import hidden_fixed_hockey_stick, hidden_tree_hockey_stick, hops, unit_hamming, zero_out
from oracles.npp import Parameters, adaptive_hockey_stick, fixed_hockey_stick
from oracles.paired import Order, Pairs, hamming

from dpcert.audit.certificates.certificate import certificate
from dpcert.audit.examine import examination
from dpcert.audit.records.assembled import Examination
from dpcert.audit.relations.adjacency import ZeroOut
from dpcert.mechanisms.randbin.toy import RandBinToy

SLOPES = Fraction(1), Fraction(3, 2), Fraction(3)
Legal: TypeAlias = Callable[[Pairs], bool]
Scope: TypeAlias = tuple[str, int, int | None]


@dataclass(frozen=True, eq=False)
class Remembering:
    """A core as the oracle for hidden state wants it: the inputs so far are the state."""

    core: RandomCore
    initial: Prefix = ()

    def step(self, state: Prefix, x: int, draw: Callable[[Any], Any]) -> tuple[Any, Prefix]:
        prefix = (*state, x)
        return SimpleNamespace(visible=draw(self.core.law(prefix))), prefix


@dataclass(frozen=True)
class Audited:
    """An audit that can be certified.

    `oracle` is what the oracle plays, over `symbols`, of which `null` is none that both worlds get.
    """

    name: str
    found: Examination
    oracle: Any
    symbols: tuple[int, ...]
    horizon: int
    null: int | None = None
    _known: dict[Any, Fraction] = field(default_factory=dict)

    def certificate(self, gap: Fraction) -> str:
        return certificate(self.found.facts, self.found.record.document, gap)

    def truth(self, kind: str, scope: Scope, exp_epsilon: Fraction, order: Order) -> Fraction:
        """delta against every adversary or against fixed streams, in a scope (adjacency, hops, challenge round)."""
        key = kind, scope, exp_epsilon, order
        if key not in self._known:
            self._known[key] = self._truth(kind, scope, exp_epsilon, order)
        return self._known[key]

    def _truth(self, kind: str, scope: Scope, exp_epsilon: Fraction, order: Order) -> Fraction:
        if isinstance(self.oracle, Parameters):
            npp = adaptive_hockey_stick if kind == "adaptive" else fixed_hockey_stick
            return npp(self.oracle, self.horizon, exp_epsilon, order)
        value = hidden_tree_hockey_stick if kind == "adaptive" else hidden_fixed_hockey_stick
        legal = legal_of(scope, self.null)
        return value(self.oracle, self.symbols, self.horizon, legal, exp_epsilon, order, HALT)


@cache
def legal_of(scope: Scope, null: int | None) -> Any:
    """A scope as the oracle wants it."""
    adjacency, count, challenge = scope
    named: dict[str, Legal] = {
        "hamming": hamming,
        "unit-hamming": unit_hamming,
        "zero-out": zero_out(null, null_elsewhere=False),
        "any": lambda _: True,
    }

    def legal(pairs: Pairs) -> bool:
        if not named[adjacency](pairs):
            return False
        differing = [t for t, (x0, x1) in enumerate(pairs, 1) if x0 != x1]
        if challenge is None:
            return True
        forced = count > 1 or len(pairs) < challenge or challenge in differing
        return forced and all(t == challenge for t in differing)

    return legal if count == 1 else hops(either_way(legal), count)


def either_way(legal: Legal) -> Legal:
    return lambda pairs: legal(pairs) or legal(tuple((x1, x0) for x0, x1 in pairs))


def audited(seed: int) -> Audited:
    """Cores, hidden state, two hops, zero-out, a challenge round and the neighbour-preserving game, in turn."""
    kind = seed % 8
    if kind == 7:
        return _npp(seed)
    if kind in (2, 5, 6):
        rounds, seen = 1 + seed % 3, 2 + seed % 2
        mechanism, alphabet = random_interactive(seed, 2, 2, seen, allow_halt=kind == 5)
        return _paired("hidden", mechanism, mechanism, alphabet, rounds, hops=2 if kind == 6 else 1)
    core = random_core(seed, 2 + (kind in (1, 4)), 2, 1 + seed % 3)
    if kind == 1:
        narrow = RandomCore((0, 1), core.weights)
        return _paired("zero-out", narrow, Remembering(core), (0, 1, 2), 1 + seed % 3, adjacency=ZeroOut(null=2))
    rounds = 1 + seed % 3
    scope: dict[str, Any] = {
        0: {},
        3: {"hops": 2, "horizon": min(rounds, 2)},
        4: {"adjacency": "unit-hamming" if seed % 16 == 4 else "hamming", "challenge_round": 1 + seed % rounds},
    }[kind]
    return _paired("core", core, Remembering(core), core.alphabet, scope.pop("horizon", rounds), **scope)


def _paired(name: str, mechanism: Any, oracle: Any, symbols: tuple[int, ...], horizon: int, **scope: Any) -> Audited:
    usual = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(mechanism, horizon=horizon, exp_epsilons=SLOPES, **(usual | scope))
    null = 2 if name == "zero-out" else None
    return Audited(name, found, oracle, symbols, horizon, null)


def _npp(seed: int) -> Audited:
    noise = ("uniform", "none")[seed // 8 % 2]
    horizon = 3 + seed // 16 % 3
    mechanism = RandBinToy(noise=noise)
    usual: dict[str, Any] = {"hops": 1, "challenge_round": None, "epsilons": (), "deltas": ()}
    found = examination(mechanism, game="npp", horizon=horizon, exp_epsilons=SLOPES, **usual)
    return Audited("npp", found, Parameters(Fraction(2), 2, 1, noise), (), horizon)
