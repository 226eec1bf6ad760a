"""Checklist 1 of probed code: of the matrices that were recovered, each finding with what it rests on in its scope."""

from dataclasses import replace

from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.mechanisms.matrix_audit.conditions import stable_cost
from dpcert.mechanisms.probe.noise_faults import looks_ahead
from dpcert.mechanisms.probe.recovered import ProbeResult


def probed_conditions(matrices: ProbeResult, width: int, scope: str) -> tuple[Entry, ...]:
    """The five conditions in order.

    Args:
        matrices: A and B.
        width: Numbers of an input.
        scope: The runs that it rests on.
    Source: paper.tex, sec:cert, rem:vector_quant_decomp.
    """
    ahead = looks_ahead(matrices, width)
    if ahead is None:
        detail = "Every entry of A for a round after that of its release is 0."
        first = Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)
    else:
        first = Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, ahead.detail, dict(ahead.witness))

    def entry(item: Item, detail: str) -> Entry:
        return Entry(item, Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail))

    cost = stable_cost(first)
    return (
        Entry(Item.PREFIX_DEPENDENCE, first),
        entry(
            Item.FRESH_RANDOMNESS,
            "In the order of release B z is L w with w independent and L lower triangular: what is left of each "
            "release, given those before, has noise of its own.",
        ),
        entry(Item.DETERMINISTIC_MAP, "With inputs and draws given, every run released the same again."),
        replace(cost, finding=replace(cost.finding, scope=f"{cost.finding.scope}, {scope}")),
        entry(Item.POST_PROCESSING, "Nothing else was released: the releases are L times that core."),
    )
