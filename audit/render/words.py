"""What an audit found, in sentences: shared by the page and by the text."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import ROUNDED_UP
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.render import headline as headlines
from dpcert.audit.render.cells import Cell, bracket, ends_of, number, plain, short, stated, words

Document = Mapping[str, Any]
SIDES = ("adaptive", "fixed_stream")

METHODS = {
    "BY_CONSTRUCTION": "follows from how the mechanism is built",
    "SYMBOLIC": "shown for all values at once",
    "EXHAUSTIVE": "every case in the scope was computed",
    "ENCLOSED": "shown with bounds rounded outward",
    "SAMPLED": "seen in samples",
}
ARGUMENT_NEEDED = (
    "What is refuted is that the fixed-stream guarantee carries over unchanged. For feedback, this mechanism needs a "
    "separate, interaction-aware argument; "
)
ALREADY_PERFECT = "Both bounds are the perfect curve already: fixed streams tell the worlds apart for sure."
EXACT_BELOW = "the adaptive column below is the exact answer in this scope."
BOUNDS_BELOW = "the adaptive column below gives bounds in this scope."


def title(document: Document) -> str:
    """The name of the report."""
    return f"{plain(document['target'])}: {headlines.badge(document)}, dpcert audit"


def verdict_of(finding: Mapping[str, Any]) -> str:
    """HOLDS, REFUTED or UNDECIDED."""
    return plain(finding.get("verdict", "UNDECIDED"))


def headline(document: Document) -> str:
    """What was asked for, by name, or else the bound or the gap in one sentence with its numbers."""
    if document["requirements"]:
        return headlines.asked_for(document)
    return words(document["bound"]["detail"]).text if document["bound"] else curve_sentence(document)


def curve_sentence(document: Document) -> str:
    """lifts.curve in words: do adaptive adversaries beat fixed streams?"""
    finding = document["lifts"]["curve"]
    if document["vacuous"]:
        return (
            "Nothing leaks in this scope: both worlds release by the same laws, so adaptive adversaries learn no more "
            "than fixed streams do, and neither learn anything."
        )
    sentences = {"HOLDS": _holds, "REFUTED": _refuted}
    return sentences.get(verdict_of(finding), _undecided)(document, finding)


def remarks(document: Document) -> tuple[str, ...]:
    """What a reader must know to read the verdict right."""
    finding = document["lifts"]["curve"]
    holds = verdict_of(document) == "HOLDS"
    sentences = [headlines.privacy(document)]
    sentences += [curve_sentence(document)] if document["requirements"] or document["bound"] else []
    if verdict_of(finding) == "REFUTED":
        agree = finding["witness"].get("equal_from")
        sentences += [f"From {stated('e^ε', number(agree))} on the two agree."] if agree else []
        exact = document["adaptive"]["tier"] == "exact"
        sentences.append(ARGUMENT_NEEDED + (EXACT_BELOW if exact else BOUNDS_BELOW))
    elif document["vacuous"]:
        sentences.append(
            f"{'The verdict holds vacuously' if holds else 'Nothing can happen here'}; widen the scope to learn more."
        )
    elif verdict_of(finding) == "HOLDS":
        exact = document["adaptive"]["tier"] == document["fixed_stream"]["tier"] == "exact"
        sentences += [f"Both reach {_first_delta(document['adaptive'])}, and so on throughout."] if exact else []
        sentences += [ALREADY_PERFECT] if ends_of(document["fixed_stream"], "total_variation")[0] == "1" else []
    return (*sentences, *_promise(document))


def _promise(document: Document) -> Iterator[str]:
    """What the mechanism itself says it keeps to."""
    dp = (document["bound"] or {}).get("dp")
    if dp:
        yield f"The mechanism promises δ {number(dp['delta']).inline} at {stated('e^ε', number(dp['exp_epsilon']))}."


def _holds(document: Document, finding: Mapping[str, Any]) -> str:
    del document, finding
    return "Adaptive adversaries learn no more than fixed streams do."


def _refuted(document: Document, finding: Mapping[str, Any]) -> str:
    witness = finding["witness"]
    if "adaptive" not in witness:
        return words(finding.get("detail", "")).text
    where = f"at {_slope(witness)}"
    if not _two_sided(document, witness):
        first, second = worlds(witness["order"])
        where += f", world {first} counted against world {second},"
    adaptive, fixed = stated("δ", number(witness["adaptive"])), number(witness["fixed_stream"]).inline
    return f"Adaptive adversaries beat every fixed stream: {where} they reach {adaptive}, fixed streams {fixed}."


def _slope(named: Mapping[str, Any]) -> str:
    """`e^ε = 3/2`."""
    shown = number(named["exp_epsilon"])
    return stated("e^ε", Cell(shown.text))


def _undecided(document: Document, finding: Mapping[str, Any]) -> str:
    adaptive, fixed_stream = document["adaptive"], document["fixed_stream"]
    if headlines.nothing_known(document):
        return words(finding.get("detail", "")).text
    return (
        f"{words(finding.get('detail', '')).text} "
        f"Adaptive adversaries reach {_first_delta(adaptive)}, fixed streams {delta_cell(fixed_stream, 0).inline}."
    )


def _first_delta(curve: Mapping[str, Any]) -> str:
    """The first delta that was asked for; without any, the one at e^epsilon = 1."""
    if not curve["delta"]:
        return f"{stated('δ', delta_cell(curve, 0))} at e^ε = 1"
    return f"{stated('δ', delta_cell(curve, 0))} at {_slope(curve['delta'][0])}"


def delta_cell(curve: Mapping[str, Any], row: int) -> Cell:
    """One delta of a curve, a bracket where the curve is only enclosed."""
    if not curve["delta"]:
        return bracket(*ends_of(curve, "total_variation"))
    return bracket(curve["delta"][row]["lower"], curve["delta"][row]["upper"])


def _two_sided(document: Document, witness: Mapping[str, Any]) -> bool:
    """Whether the witness's numbers are also the two-sided ones of the table."""

    def shown(curve: Mapping[str, Any], value: str) -> bool:
        return any(
            d["exp_epsilon"] == witness["exp_epsilon"] and d["lower"] == d["upper"] == value for d in curve["delta"]
        )

    return shown(document["adaptive"], witness["adaptive"]) and shown(document["fixed_stream"], witness["fixed_stream"])


def worlds(order: str) -> tuple[str, str]:
    """The world counted first and the one counted against it."""
    return ("1", "0") if order == "1-0" else ("0", "1")


def strategy_title(strategy: Mapping[str, Any]) -> str:
    """An adversary named by its slope, its order and what it attains."""
    first, second = worlds(strategy["order"])
    return f"{_slope(strategy)}, world {first} against world {second}: {stated('δ', number(strategy['delta']))}"


def hand_check(strategy: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The event's probabilities, and the value that follows from them by one subtraction."""
    if strategy["event"] is None:
        return ()
    shares = {"0": parse(strategy["event"][0], "event"), "1": parse(strategy["event"][1], "event")}
    first, second = worlds(strategy["order"])
    e = parse(strategy["exp_epsilon"], "exp_epsilon")
    value = shares[first] - e * shares[second]
    inner = [number(text(shares[first])), number(text(e)), number(text(shares[second]))]
    p, slope, q = (cell.text.removeprefix(ROUNDED_UP) for cell in inner)
    formula = f"{_p(first)} - e^ε {_p(second)} {'≈' if any(cell.full for cell in inner) else '='}"
    claim = "" if value == parse(strategy["delta"], "delta") else ", which is not what the record claims"
    lines = [_equation(_p(world), share) for world, share in shares.items()]
    return (*lines, _equation(f"{formula} {p} - {slope} · {q}", value, claim))


def _p(world: str) -> str:
    return f"P{'₁' if world == '1' else '₀'}(S)"


def _equation(left: str, value: Fraction, claim: str = "") -> Cell:
    shown = number(text(value))
    return Cell(stated(left, shown) + claim, full=shown.full)


def idle(document: Document) -> str:
    """The slopes at which no adversary wins anything, in one line."""
    nothing = [s for s in document["adaptive"]["strategies"] if parse(s["delta"], "delta") == 0]
    both = [s["exp_epsilon"] for s in nothing if s["order"] == "0-1"]
    one = [s["exp_epsilon"] for s in nothing if s["order"] == "1-0"]
    lines = []
    for slopes, where in (
        ([e for e in both if e in one], "in either order"),
        ([e for e in both if e not in one], "for world 0 against world 1"),
        ([e for e in one if e not in both], "for world 1 against world 0"),
    ):
        if slopes:
            lines.append(f"At e^ε = {', '.join(map(short, slopes))} nothing can be won {where}: δ = 0.")
    return " ".join(lines)
