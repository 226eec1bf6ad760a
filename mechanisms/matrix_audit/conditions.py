"""Checklist 1 of the core R x + z: what its rows look at, its noise as declared, and its cost by the VECTOR rung."""

from dpcert.audit.algebra.rational import text
from dpcert.audit.checklist.conditions import Entry
from dpcert.audit.checklist.ladder import Rung
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.mechanisms.matrices.encoder import DenseEncoder, Encoder
from dpcert.mechanisms.matrices.product import first_noncausal

RUNG = "VECTOR"
DECLARED = "the core R x + z as it is declared"


def conditions(encoder: Encoder) -> tuple[Entry, ...]:
    """The five conditions in order. Source: paper.tex, sec:cert, rem:vector_quant_decomp.

    >>> from dpcert.mechanisms.matrices.tree import TreeEncoder
    >>> {entry.finding.verdict.value for entry in conditions(TreeEncoder(8))}
    {'HOLDS'}
    """
    first = _prefix_dependence(encoder)
    return (
        Entry(Item.PREFIX_DEPENDENCE, first),
        _declared(
            Item.FRESH_RANDOMNESS,
            "Declared, not seen: every row has Gaussian noise of its own, drawn once and independently of all else. "
            "The file says nothing of how a program draws it.",
        ),
        _declared(
            Item.DETERMINISTIC_MAP, "A release is its row times the inputs, plus its noise: they determine it together."
        ),
        stable_cost(first),
        _declared(
            Item.POST_PROCESSING,
            "What is published is L times the releases, whatever L is: it looks at the inputs through them alone.",
        ),
    )


def _prefix_dependence(encoder: Encoder) -> Finding:
    """Whether no row looks at a round after its own."""
    if not isinstance(encoder, DenseEncoder):
        detail = "The class of the encoder has no entry for a round after that of the row."
        return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, f"{encoder.rounds} rounds", detail)
    scope = f"all {encoder.entries.size} entries"
    ahead = first_noncausal(encoder.entries, encoder.row_rounds)
    if ahead is None:
        detail = "Every entry for a round after that of its row is 0."
        return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)
    detail = (
        f"Row {ahead.row} is released in round {ahead.released}, and its entry in column {ahead.column} is not 0: it "
        f"looks at the input of round {ahead.column}."
    )
    witness = {"row": ahead.row, "round": ahead.released, "column": ahead.column, "entry": text(ahead.value)}
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def _declared(item: Item, detail: str) -> Entry:
    return Entry(item, Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, DECLARED, detail))


def stable_cost(prefix: Finding) -> Entry:
    """The VECTOR rung, for every input and every number of participations."""
    if prefix.verdict is not Verdict.HOLDS:
        detail = f"There is no core to examine without {Item.PREFIX_DEPENDENCE.value}."
        return Entry(Item.STABLE_COST, Finding(Verdict.UNDECIDED, None, DECLARED, detail))
    detail = (
        "Common inputs shift the releases of both worlds alike: for every input, the difference x - x' alone decides "
        "a round's curve, which is f of mu = ||(R (x - x'))_t|| / sigma."
    )
    found = Finding(Verdict.HOLDS, Method.SYMBOLIC, "every stream of real vectors", detail)
    rung = Rung(RUNG, found)
    return Entry(
        Item.STABLE_COST, Finding(found.verdict, found.method, found.scope, f"{RUNG}: {detail}"), (rung,), RUNG
    )
