"""Slot exchange: on plain messages an invariant pair gives one challenge one curve in every influential round."""

from collections.abc import Sequence
from typing import Any

from dpcert.audit.budget import Budget
from dpcert.audit.checklist.contexts import Challenge, Context
from dpcert.audit.frozen import frozen


@frozen
class SlotExchange:
    """A challenge whose curve in one round is not the same in two slots of I_t.

    Attributes:
        round: The round whose release is looked at.
        contexts: The challenge in one slot, and the same challenge in another.
        curves: The numbers of the two curves.
        influence: Of the other slot where the challenge itself leaves no trace: a challenge there that leaves one.
    """

    round: int
    contexts: tuple[Context, Context]
    curves: tuple[int, int]
    influence: Context | None


def slot_exchange(challenges: Sequence[Challenge], budget: Budget) -> SlotExchange | None:
    """The earliest round in which one challenge has two curves in two influential slots; None if there is none.

    d(a + u + b, a + v + b) = d(u, v) for whatever stands before and after, so that in round t a challenge (u, v) has
    the curve g_t(d(u, v)) in every slot of I_t. A slot that can change the law of round t lies in I_t, for else both
    worlds would be at distance 0 there. Every curve must be context stable already.

    Source: paper.tex, defn:inv_pair, defn:quant_decomp, rem:vector_quant_decomp.
    """
    by_round: dict[int, dict[int, dict[Any, tuple[Challenge, int]]]] = {}
    for challenge in challenges:
        slot = len(challenge.before) + 1
        for t, future in enumerate(challenge.future.rounds(), slot):
            budget.check()
            for curve in future.here[:1]:
                by_round.setdefault(t, {}).setdefault(slot, {}).setdefault(challenge.pair, (challenge, curve))
    for t in sorted(by_round):
        traces = {slot: next((c for c in of.values() if c[1]), None) for slot, of in by_round[t].items()}
        influential = [(slot, trace) for slot, trace in sorted(traces.items()) if trace is not None]
        for (one, first), (other, second) in _pairs(influential):
            exchange = _between(t, (by_round[t][one], first), (by_round[t][other], second))
            if exchange is not None:
                return exchange
    return None


Trace = tuple[Challenge, int]
Slot = tuple[dict[Any, Trace], Trace]
"""The curve of each challenge in one slot, and a challenge there that leaves a trace."""


def _pairs(slots: Sequence[tuple[int, Trace]]) -> list[tuple[tuple[int, Trace], tuple[int, Trace]]]:
    """The first slot against every other: curves that are all those of the first are all one."""
    return [(slots[0], other) for other in slots[1:]]


def _between(t: int, one: Slot, other: Slot) -> SlotExchange | None:
    """The first challenge that two slots give different curves, one that leaves a trace in both where there is one."""
    differing = [(one[0][p], other[0][p]) for p in one[0] if p in other[0] and one[0][p][1] != other[0][p][1]]
    if not differing:
        return None
    first, second = next(((a, b) for a, b in differing if a[1] and b[1]), differing[0])
    silent = next((slot for mine, slot in ((first, one), (second, other)) if not mine[1]), None)
    influence = None if silent is None else silent[1][0].context(t, silent[1][1])
    contexts = first[0].context(t, first[1]), second[0].context(t, second[1])
    return SlotExchange(t, contexts, (first[1], second[1]), influence)
