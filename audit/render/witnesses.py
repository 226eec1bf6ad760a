"""Witnesses by their shape: what each shows in words, and the tables and curves to check it by."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from json import dumps
from typing import Any

from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import Cell, Table, number, plain, short, shortened, words
from dpcert.audit.render.rounds import (
    LetteredCurve,
    RoundsRow,
    by_round,
    differing,
    excesses,
    in_line,
    listed,
    profile_of,
)

Witness = Mapping[str, Any]
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a witness of another version can raise; it is then shown as it stands."""
LONGEST_VALUE = 300
"""Characters of a value in a witness past which a page cuts it short."""
MOST_BRIEF = 6
"""Vertices of a witness's curve up to which the text lists all of them."""
NOT_BORNE_OUT = "The curves give other numbers than the record."


@frozen
class WitnessView:
    """A witness to be read: what it shows, its tables, its power functions, and a few lines for a terminal."""

    what: str
    tables: tuple[Table, ...]
    curves: tuple[LetteredCurve, ...] = ()
    brief: tuple[str, ...] = ()


@frozen
class WitnessKind:
    """A kind of witness: the entries that it has, those that it may have, and how it is read."""

    read: Callable[[Witness], WitnessView]
    needed: frozenset[str]
    known: frozenset[str] = frozenset()


def shown(witness: Witness) -> WitnessView:
    """The witness in tables; entries that no shape knows are shown as they stand."""
    for shape in SHAPES:
        if shape.needed <= set(witness):
            try:
                display = shape.read(witness)
            except MALFORMED:
                continue
            rest = {name: value for name, value in witness.items() if name not in shape.needed | shape.known}
            return replace(display, tables=(*display.tables, as_it_stands(rest))) if rest else display
    return WitnessView("the witness", (as_it_stands(witness),))


def as_it_stands(witness: Witness) -> Table:
    """Every entry as JSON, long ones cut."""
    return Table("", ("entry", "value"), tuple((Cell(plain(name)), _json(value)) for name, value in witness.items()))


def _json(value: Any) -> Cell:
    json_text = plain(value if isinstance(value, str) else dumps(value, ensure_ascii=False))
    return words(json_text) if len(json_text) <= LONGEST_VALUE else Cell(shortened(json_text, LONGEST_VALUE))


# -- two one-round power functions


def _two_contexts(witness: Witness) -> WitnessView:
    """Rungs 1 to 4: one challenge in two contexts."""
    pairs = [(listed(one["history0"]), listed(one["history1"])) for one in witness["contexts"]]
    what = f"one challenge has two power functions in round {plain(witness['round'])}"
    return _two_curves(witness, what, pairs)


def _both_ways(witness: Witness) -> WitnessView:
    """SCALAR: two histories, one against the other and the other way round."""
    one, two = map(listed, witness["histories"])
    what = f"round {plain(witness['round'])} tells two histories apart otherwise when they change places"
    return _two_curves(witness, what, [(one, two), (two, one)])


def _incomparable(witness: Witness) -> WitnessView:
    """SCALAR: two pairs of histories, neither curve above the other."""
    pairs = [(listed(x0), listed(x1)) for x0, x1 in witness["pairs"]]
    return _two_curves(witness, f"round {plain(witness['round'])} has two incomparable power functions", pairs)


def _two_curves(witness: Witness, what: str, pairs: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> WitnessView:
    f, g = map(profile_of, witness["curves"])
    curves = LetteredCurve("A", f), LetteredCurve("B", g)
    lines, brief = [], []
    for curve, (x0, x1) in zip(curves, pairs, strict=True):
        differences = differing(x0, x1)
        lines += [RoundsRow(f"{curve.letter}, world {i}", x, differences) for i, x in enumerate((x0, x1))]
        brief.append(f"{curve.letter}: {in_line(x0)} against {in_line(x1)}, power {_brief(curve)}")
    note = "Inputs, round by round; the worlds differ where they are marked."
    values = _differences(witness, curves)
    note_below = "" if _borne_out(witness, curves) else NOT_BORNE_OUT
    columns = ("e^ε", "order", "δ of A", "δ of B")
    tables = by_round("Histories", lines, note=note), Table("Where they differ", columns, tuple(values), note_below)
    brief += [
        f"at e^ε = {e.text}, world {order.text[0]} against world {order.text[-1]}: δ {one.text} for A, {two.text} for B"
        for e, order, one, two in values
    ]
    return WitnessView(what, tables, curves, tuple(brief))


def _differences(witness: Witness, curves: tuple[LetteredCurve, LetteredCurve]) -> list[tuple[Cell, Cell, Cell, Cell]]:
    """Where the record says that the curves differ; where it does not say, found anew."""
    if "deltas" in witness:
        one, two = witness["deltas"]
        return [(number(witness["exp_epsilon"]), Cell(_order(witness)), number(one), number(two))]
    found = excesses(curves[0].profile, curves[1].profile)
    return [(number(text(e)), Cell(order), number(text(a)), number(text(b))) for e, order, a, b in found]


def _borne_out(witness: Witness, curves: tuple[LetteredCurve, LetteredCurve]) -> bool:
    if "deltas" not in witness:
        return True
    e, order = parse(witness["exp_epsilon"], "exp_epsilon"), _order(witness)
    claimed = [parse(delta, "delta") for delta in witness["deltas"]]
    return claimed == [curve.profile.hockey_stick(e, order) for curve in curves]


def _order(witness: Witness) -> str:
    order = witness["order"]
    if order not in ("0-1", "1-0"):
        raise ValueError(order)
    return str(order)


def _brief(curve: LetteredCurve) -> str:
    points = [f"({short(text(x))}, {short(text(y))})" for x, y in curve.profile.vertices]
    if len(points) <= MOST_BRIEF:
        return " ".join(points)
    return f"with {len(points)} vertices, {' '.join(points[: MOST_BRIEF - 2])} and so on"


# -- other witnesses of the ladder and of the conditions


def _dominated(witness: Witness) -> WitnessView:
    """CONTEXT_DOMINATED: the product of hulls over contexts against the fixed-stream curve."""
    product, bound = witness["deltas"]
    a, b = listed(witness["challenge"])
    cells = Cell(f"{a} against {b}"), Cell(plain(witness["round"])), number(witness["exp_epsilon"])
    columns = ("challenge", "round", "e^ε", "order", "δ of the product", "δ of fixed streams")
    above = parse(product, "delta") > parse(bound, "delta")
    note = "" if above else "The record's first δ is not above its second, so these numbers alone show no excess."
    row = (*cells, Cell(_order(witness)), number(product), number(bound))
    what = "the product of the hulls over contexts is not below the fixed-stream curve"
    return WitnessView(what, (Table("", columns, (row,), note),))


def _laws_after_releases(witness: Witness) -> WitnessView:
    """FRESH_RANDOMNESS of hidden state: two histories of releases, two laws of the next one."""
    round_, inputs = plain(witness["round"]), listed(witness["inputs"])
    (one, two), (law, other) = map(listed, witness["histories"]), listed(witness["laws"])
    differences = differing(one, two)
    lines = (
        RoundsRow("inputs, both times", inputs),
        RoundsRow("releases, first", one, differences, law),
        RoundsRow("releases, second", two, differences, other),
    )
    return WitnessView(f"round {round_} depends on what was released", (by_round("", lines, f"law of round {round_}"),))


def _laws_of_state(witness: Witness) -> WitnessView:
    """DETERMINISTIC_MAP of a core, or of the law of seeds: two askings, two laws."""
    first, second = listed(witness["laws"])
    rows = [(Cell("asked first"), words(first)), (Cell("asked again"), words(second))]
    rows = [(Cell("state"), words(witness["state"])), *rows] if "state" in witness else rows
    return WitnessView("two askings gave two laws", (Table("", ("", "law"), tuple(rows), narrow=True),))


def _two_answers(witness: Witness) -> WitnessView:
    """DETERMINISTIC_MAP of code: one question, two answers."""
    first, second = map(listed, witness["outputs"])
    differences = differing(first, second)
    lines = (
        RoundsRow("seeds", listed(witness["seeds"])),
        RoundsRow("inputs", listed(witness["stream"])),
        RoundsRow("outputs, first", first, differences),
        RoundsRow("outputs, again", second, differences),
    )
    return WitnessView("the same question had two answers", (by_round("", lines),))


def _reads_later(witness: Witness) -> WitnessView:
    """PREFIX_DEPENDENCE: two streams that agree up to a round, and its two outputs."""
    one, two = map(listed, witness["streams"])
    first, second = listed(witness["outputs"])
    differences, round_ = differing(one, two), plain(witness["round"])
    lines = (
        RoundsRow("seeds, both times", listed(witness["seeds"])),
        RoundsRow("inputs, first", one, differences, first),
        RoundsRow("inputs, second", two, differences, second),
    )
    return WitnessView(f"round {round_} reads a later input", (by_round("", lines, f"output of round {round_}"),))


def _reads_another_seed(witness: Witness) -> WitnessView:
    """FRESH_RANDOMNESS of code: one seed of its own, two outputs."""
    one, two = map(listed, witness["seeds"])
    first, second = listed(witness["outputs"])
    differences, round_ = differing(one, two), plain(witness["round"])
    lines = (
        RoundsRow("inputs, both times", listed(witness["stream"])),
        RoundsRow("seeds, first", one, differences, first),
        RoundsRow("seeds, second", two, differences, second),
    )
    return WitnessView(
        f"round {round_} reads another round's seed", (by_round("", lines, f"output of round {round_}"),)
    )


def _dependent_seeds(witness: Witness) -> WitnessView:
    """FRESH_RANDOMNESS of code: seeds whose probability is not a product."""
    row = (Cell(" ".join(listed(witness["seeds"]))), number(witness["probability"]), number(witness["product"]))
    columns = ("seeds", "their probability", "product of the parts' probabilities")
    return WitnessView("the seeds are not independent", (Table("", columns, (row,)),))


def _published(witness: Witness) -> WitnessView:
    """POST_PROCESSING: the same core releases, published in two ways."""
    (one, two), (first, second) = map(listed, witness["inputs"]), map(listed, witness["published"])
    differences = differing(first, second)
    lines = (
        RoundsRow("core releases, both times", listed(witness["core"])),
        RoundsRow("inputs, first", one),
        RoundsRow("published, first", first, differences),
        RoundsRow("inputs, second", two),
        RoundsRow("published, second", second, differences),
    )
    return WitnessView("the same core releases are published in two ways", (by_round("", lines),))


# -- requirements


def _above_gaussian(witness: Witness) -> WitnessView:
    """mu-GDP: a corner of one adversary's power function."""
    columns = ("level (probability in world 0)", "power (probability in world 1)", "e^ε", "order")
    row = number(witness["level"]), number(witness["power"]), number(witness["exp_epsilon"]), Cell(_order(witness))
    note = "An adversary for this e^ε and order attains this power at this level; the Gaussian curve lies below it."
    return WitnessView("level and power", (Table("", columns, (row,), note),))


def _above_concentrated(witness: Witness) -> WitnessView:
    """rho-zCDP: the divergence between two fixed streams."""
    one, two = listed(witness["stream0"]), listed(witness["stream1"])
    row = number(witness["alpha"]), number(witness["divergence"]), number(witness["claimed"])
    numbers = Table("", ("order alpha", "divergence, at least", "claimed, at most"), (row,))
    differences = differing(one, two)
    streams = by_round("Streams", (RoundsRow("world 0", one, differences), RoundsRow("world 1", two, differences)))
    brief = f"streams {in_line(one)} against {in_line(two)}"
    return WitnessView("the divergence of two streams", (numbers, streams), brief=(brief,))


def _above_delta(witness: Witness) -> WitnessView:
    """delta at an epsilon: what is reached, and by how much too much."""
    columns = ("δ reached", "above what is claimed by", "e^ε at which an adversary shows it")
    row = number(witness["delta"]), number(witness["excess"]), number(witness["exp_epsilon"])
    return WitnessView("the δ that is reached", (Table("", columns, (row,)),))


def _gap(witness: Witness) -> WitnessView:
    """lifts.curve: adaptive adversaries against fixed streams."""
    columns = ("e^ε", "order", "adaptive δ", "fixed-stream δ")
    row = number(witness["exp_epsilon"]), Cell(_order(witness)), number(witness["adaptive"]), number(
        witness["fixed_stream"]
    )  # fmt: skip
    return WitnessView("adaptive adversaries against fixed streams", (Table("", columns, (row,)),))


def _shape(read: Callable[[Witness], WitnessView], needed: str, known: str = "") -> WitnessKind:
    return WitnessKind(read, frozenset(needed.split()), frozenset(known.split()))


_DIFFERENCE = "exp_epsilon order deltas"
SHAPES = (
    _shape(_two_contexts, "round contexts curves", _DIFFERENCE),
    _shape(_both_ways, "round histories curves", _DIFFERENCE),
    _shape(_incomparable, "round pairs curves", _DIFFERENCE),
    _shape(_dominated, f"round challenge {_DIFFERENCE}"),
    _shape(_laws_after_releases, "round inputs histories laws"),
    _shape(_laws_of_state, "laws", "state"),
    _shape(_reads_later, "round seeds streams outputs"),
    _shape(_reads_another_seed, "round seeds stream outputs"),
    _shape(_two_answers, "seeds stream outputs"),
    _shape(_dependent_seeds, "seeds probability product"),
    _shape(_published, "core inputs published"),
    _shape(_above_gaussian, "level power exp_epsilon order"),
    _shape(_above_concentrated, "alpha divergence claimed stream0 stream1"),
    _shape(_above_delta, "delta excess exp_epsilon"),
    _shape(_gap, "exp_epsilon order adaptive fixed_stream", "gap equal_from"),
)
