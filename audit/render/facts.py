"""The facts of a guarantee that a reviewer has to know, one line each, and what the audit does not cover."""

from collections.abc import Iterator
from fractions import Fraction

from dpcert.audit.algebra.decimals import ROUNDED_UP, down, equated, up
from dpcert.audit.algebra.enclosure import Enclosure, logarithm
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.games.question import differing
from dpcert.audit.render import headline
from dpcert.audit.render.cells import Cell, Table, enclosure, ends_of, listing, number, plain, words
from dpcert.audit.render.context import declared
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.render.words import Document, verdict_of

UNITS = {
    "hamming": "one input of one round: two streams are neighbours that differ in any one round (hamming)",
    "unit-hamming": "one input of one round, changed by at most one unit (unit-hamming)",
    "zero-out": "one input of one round, replaced by the null input (zero-out)",
    "edit": "one item: two streams are neighbours where one has an item that the other lacks (edit)",
    "any": "every input at once: any two streams are neighbours (any)",
}
"""What a neighbouring relation protects, by its name."""
GAMES = {
    "paired": "adaptive: chooses each round's inputs, for both worlds, after seeing all that was released; knows the "
    "code and the laws; as much computation as it likes",
    "npp": "adaptive and neighbour-preserving: both branches take both streams, and the observer sees both hidden "
    "outputs",
}
SAMPLED_GAME = "learnt from runs, and tested on others; whoever knows more may learn more"
"""Who is meant where only samples were seen."""
TRUST = "not declared; the numbers are about observers who see what is released, and no input of others"
COVERED_BY_LAWS = (
    "the sampler that draws from these laws",
    "floating-point arithmetic outside them",
    "timing and other side channels",
    "other releases from the same data",
)


def facts(document: Document) -> Table:
    """Name and answer, in the order in which a reviewer asks."""
    scope = document["scope"]
    pairs: list[tuple[str, Cell]] = [*_promise(document), ("Kind of guarantee", Cell(kind(document)))]
    pairs += [(f"ε at {_at(delta)}", cell) for delta, cell in _epsilons(document)]
    if not headline.nothing_known(document):
        pairs.append(("δ at ε = 1", _delta_at_one(document)))
    relation = str(scope["adjacency"])
    unit = UNITS.get(relation, f"as the relation says: streams differ {differing(relation)} ({plain(relation)})")
    hops = f", over {scope['hops']} hops" if scope["hops"] > 1 else ""
    if (challenge := scope["challenge_round"]) is not None:
        unit = f"the input of round {challenge} alone ({plain(relation)})"
    own = declared(document, "unit", "name")
    pairs += [("Unit of privacy", words(f"{plain(own)} (declared)"))] if own else []
    pairs += [
        ("Neighbours" if own else "Unit of privacy", words(f"{unit}{hops}")),
        ("Rounds covered", Cell(_rounds(document))),
        ("Inputs covered", words(listing(scope["alphabet"]))),
        ("Adversary", Cell(_adversary(document))),
        ("Trust model", words(_trust(document))),
        ("Checklist 1", Cell(checklist_count(document))),
        ("Not covered", Cell("; ".join(not_covered(document)))),
        ("Work", Cell(_work(document))),
    ]
    pairs += [(f"Parameter {plain(name)}", words(value)) for name, value in document["parameters"].items()]
    return Table("Facts", ("", ""), tuple((Cell(name), cell) for name, cell in pairs))


def _adversary(document: Document) -> str:
    """Against whom the numbers are."""
    return SAMPLED_GAME if "sampled" in document else GAMES.get(document["game"], plain(document["game"]))


def _work(document: Document) -> str:
    """What was done."""
    if "sampled" in document:
        return f"{document['sampled']['runs']} runs, {document['sampled']['learning']} of them to learn from"
    count = document["scope"]["positions"]
    return f"{count} position{'' if count == 1 else 's'} solved"


def _promise(document: Document) -> Iterator[tuple[str, Cell]]:
    dp = (document["bound"] or {}).get("dp")
    if dp:
        epsilon = _epsilon_of(parse(dp["exp_epsilon"], "promise"))
        yield "Promise", Cell(f"{epsilon} at {_at(parse(dp['delta'], 'promise'))}, by the mechanism's own word")


def _epsilon_of(exp_epsilon: Fraction) -> str:
    """epsilon, rounded up: ln of a rational is one at 1 alone."""
    return "ε = 0" if exp_epsilon == 1 else f"ε {ROUNDED_UP}{up(logarithm(exp_epsilon).finite().upper)}"


def _at(delta: Fraction) -> str:
    """A delta at which an epsilon is said; rounded up, for at a smaller one it may be larger."""
    return f"δ {equated(delta)}"


def kind(document: Document) -> str:
    """Pure, approximate, none at all, or not known: a guarantee is named where an upper bound gives one."""
    if headline.nothing_known(document):
        return "not known: the audit gives no bounds"
    if document["vacuous"]:
        return "not known: in this scope both worlds release by the same laws, wider ones may leak"
    low, high = ends_of(document["adaptive"], "largest_ratio")
    if high is not None:
        least = _epsilon_of(parse(high, "largest_ratio"))
        what = "the largest likelihood ratio" if low == high else "a bound on the largest likelihood ratio"
        return f"pure: ε-differential privacy, δ = 0 from {least} on, the logarithm of {what}"
    least, most = (str(end) for end in ends_of(document["adaptive"], "delta_at_infinity"))
    if parse(least, "delta_at_infinity") == 1:
        return "none: what is released always gives the worlds away"
    if parse(most, "delta_at_infinity") == 1:
        return f"not known: the bounds leave open whether there is any{'; if so, not pure' if low is None else ''}"
    if low is None:
        return "approximate: (ε, δ)-differential privacy; at every ε some δ is left"
    return "approximate: (ε, δ)-differential privacy; the bounds leave open whether it is pure"


def checklist_count(document: Document) -> str:
    """How many conditions of Checklist 1 hold, and how many are refuted or open."""
    conditions = document["checklist"]
    if not conditions:
        return "not looked at in this game"
    holding, refutations, open_ = (
        sum(verdict_of(one) == which for one in conditions) for which in ("HOLDS", "REFUTED", "UNDECIDED")
    )
    rung = next((f", stable cost by {plain(one['rung'])}" for one in conditions if one.get("rung")), "")
    rest = [f"{count} {word}" for count, word in ((refutations, "refuted"), (open_, "not decided")) if count]
    return f"{holding} of {len(conditions)} conditions hold{''.join(f', {one}' for one in rest) or rung}"


def not_covered(document: Document) -> Iterator[str]:
    """What no verdict of this page is about."""
    if not document["scope"].get("every_horizon"):
        yield f"rounds past {document['scope']['horizon']}"
    yield "inputs outside the alphabet"
    if "sampled" in document:
        yield "adversaries and events that were not learnt"
    yield from COVERED_BY_LAWS[2:] if "sampled" in document else COVERED_BY_LAWS


def _trust(document: Document) -> str:
    model = declared(document, "trust_model")
    return TRUST if model is None else f"{plain(model)} (declared)"


def _rounds(document: Document) -> str:
    scope = document["scope"]
    if scope.get("every_horizon"):
        return f"every number of rounds; {scope['horizon']} were played"
    return rounds_in_words(scope["horizon"])


def _epsilons(document: Document) -> Iterator[tuple[Fraction, Cell]]:
    """epsilon at the delta of the headline, and at that of the organisation where one is declared."""
    privacy = (document.get("headline") or {}).get("privacy")
    if privacy is not None and not headline.nothing_known(document):
        yield parse(privacy["delta"], "delta"), _ends(privacy["epsilon"]["lower"], privacy["epsilon"]["upper"])
    own = declared(document, "delta")
    if own is not None and (privacy is None or own != privacy["delta"]):
        delta = parse(own, "delta")
        curve = CurveBracket.of(document["adaptive"])
        low, high = (f.epsilon_for(delta) for f in (curve.lower, curve.upper))
        yield delta, _ends(_end(low.lower), _end(high.upper))


def _delta_at_one(document: Document) -> Cell:
    curve = CurveBracket.of(document["adaptive"])
    ends: list[Enclosure] = [f.delta_at(Fraction(1)) for f in (curve.lower, curve.upper)]
    return _ends(_end(ends[0].lower), _end(ends[1].upper))


def _end(end: Fraction | None) -> str:
    return "infinite" if end is None else text(end)


def _ends(low: str, high: str) -> Cell:
    """A number between two ends: one decimal where both round up to it, else both, rounded outward."""
    if low == high == "infinite":
        return Cell("none: no ε is enough")
    if low == high:
        return number(low)
    if high != "infinite" and low != "infinite":
        least, most = parse(low, "end"), parse(high, "end")
        if up(least) == up(most):
            return Cell(f"{ROUNDED_UP}{up(most)}", full=f"{low} to {high}")
        return enclosure(low, high)
    return Cell(f"at least {down(parse(low, 'end'))}")
