"""Rungs that hold by the form of the core alone: additive noise on weighted sums, over every alphabet."""

from dataclasses import replace

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.checklist.ladder import EVERY_HORIZON, RUNGS, Rung
from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.linear import Linear

TIME_INDEXED = (
    "Messages are read as indexed by their round, x_i e_i, for the weights of a round differ: it is a difference of "
    "such vectors, and no certificate on plain messages."
)
"""What the vector certificate of a weighted sum takes for a message."""


def symbolic(core: Core, rounds: int, *, rises: bool = False) -> list[Rung]:
    """Rungs 2 to 4 of additive noise on a linear aggregate, for every alphabet and every round that is what was seen.

    What `weights` and `noise_law` answer was looked at in rounds 1 to `rounds`, which may be all there are;
    `progressions` may tell all at once. Where a round weighs its inputs differently, rung 2 is a certificate for
    messages that are indexed by their round, and says so: on plain messages a weight is no difference of theirs. Rung 1
    holds over the rounds looked at where the curve `rises` with the size of the difference of plain sums.
    """
    detail = (
        "Every round adds noise to a weighted sum of the inputs. Common inputs shift the laws of both worlds alike, so "
        "the difference of the two sums decides the curve, over every alphabet."
    )
    scope, last = EVERY_HORIZON, integer_text(rounds)
    if (told := _told_at_once(core)) is not None:
        scope, sentence = _scope_told(told)
        detail += sentence
    elif core.horizon != rounds:
        looked = "round 1" if rounds == 1 else f"rounds 1 to {last}"
        members = "weights and noise_law" if core.linear is None else core.linear.members
        answer = f"{members} answer with whole numbers, the same whenever asked"
        scope = f"every round in which {answer}: looked at in {looked}, assumed later"
        detail += f" Assumed: after round {last}, {answer}."
    holds = Finding(Verdict.HOLDS, Method.SYMBOLIC, scope, detail)
    vector = replace(holds, detail=f"{detail} {TIME_INDEXED}") if _weights_differ(core, rounds) else holds
    rungs = [Rung(name, vector if name == RUNGS[1] else holds, every_horizon=True) for name in RUNGS[1:4]]
    if not rises:
        return rungs
    detail += " Moreover its size decides it, and it rises with that, as was looked at for every noise and shift."
    seen = replace(holds, scope=f"rounds 1 to {last}", detail=detail)
    return [Rung(RUNGS[0], seen, every_horizon=True), *rungs]


def _told_at_once(core: Core) -> Linear | None:
    """What a core is made of whose rounds, of which there is no last one, are told at once; None for any other."""
    return core.linear if core.horizon is None and core.linear is not None and core.linear.told_at_once else None


def _scope_told(linear: Linear) -> tuple[str, str]:
    """Of which rounds what is told at once speaks, all of which was looked at; and a sentence that says so."""
    untold = linear.first_untold
    if untold is None:
        return EVERY_HORIZON, " All rounds are told at once."
    last = integer_text(untold - 1)
    return f"rounds 1 to {last}, which progressions tell", f" Rounds 1 to {last} are told at once, and no later one."


def _weights_differ(core: Core, rounds: int) -> bool:
    """Whether some round weighs two inputs that it weighs at all differently."""
    if (told := _told_at_once(core)) is not None:
        return any(len({b for *_, b in one.weighed}) > 1 for one in told.progressions)
    linear = core.linear
    kinds = () if linear is None else linear.rounds_of_each_kind(rounds)
    return linear is not None and any(len({b for *_, b in linear.stretches(t)}) > 1 for t in kinds)
