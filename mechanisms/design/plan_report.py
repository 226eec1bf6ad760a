"""A plan in words and tables: how long events wait under each design of one promise, and the curve of its privacy."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpcert.audit.algebra.decimals import down, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.records.section import Figure, FigureCurve, Section, section, shown
from dpcert.audit.render.cells import Cell, stated
from dpcert.mechanisms.design.plan import DesignPlan, Unmade
from dpcert.mechanisms.live.figures import LiveFigures
from dpcert.mechanisms.noise.bounded_geometric import power_below

ROWS, CURVE_POINTS, PAST = 4, 16, Fraction(3, 2)
"""Steps of epsilon up to the promised one in the table and in the figure, and how far both go beyond it."""
STEP_DENOMINATOR = 2**40
"""The denominator of e^epsilon at these steps."""
NONE = "none"

Rows = Sequence[DesignPlan | Unmade]


def saved(rows: Rows) -> str:
    """How many events less wait under the best design than under the paper's, at the same epsilon and delta."""
    designs = _made(rows)
    best = min(designs, key=lambda one: one.waiting)
    paper = rows[0]
    if isinstance(paper, Unmade):
        return f"At most {best.waiting} events ever wait ({best.name}); the paper's design cannot be made."
    if best.waiting == paper.waiting:
        idle = all(one.delay is None for one in designs)
        what = "No bin leaves within so few events" if idle else "No design has fewer events waiting than the paper's"
        return f"{what}: all {paper.waiting} wait." if idle else f"{what}: at most {paper.waiting}."
    less = _percent(Fraction(best.waiting, paper.waiting))
    words = f"At the same ε and δ at most {best.waiting} events ever wait ({best.name}), instead of {paper.waiting} "
    return f"{words}({paper.name}): {less}{_lived(best, paper)}."


def _lived(best: DesignPlan, paper: DesignPlan) -> str:
    """What live runs say of it, where bins left in both."""
    if not (best.live and paper.live and best.live.bins and paper.live.bins):
        return ""
    return f"; in live runs inclusion took {_percent(best.live.mean_delay / paper.live.mean_delay)} on average"


def _percent(ratio: Fraction) -> str:
    """A ratio as what it is less, or more, than all: never better than it is.

    >>> _percent(Fraction(1, 4)), _percent(Fraction(9, 8))
    ('75 % less', '12.5 % more')
    """
    part = 100 * abs(1 - ratio)
    return f"{down(part, 3)} % less" if ratio <= 1 else f"{up(part, 3)} % more"


def table(rows: Rows) -> Section:
    """All designs in one table, with the curves of their bounds."""
    designs = _made(rows)
    columns = ("design", "U", "E", "most waiting", "delay", "δ")
    live = ("waiting, live", "mean delay, live", "longest, live")
    some = any(one.live for one in designs)
    words = "The most events that ever wait, and the inclusion delay in rounds, are bounds that no run exceeds; δ is "
    words += "proven at the promised ε, rounded up."
    if some:
        words += " Live figures are of one run each: they estimate, and prove nothing."
    cells = (_row(one) + (_live(one) if some else ()) for one in rows)
    whole = section("Designs", words, columns + live if some else columns, cells)
    return {**whole, "figure": _waiting(designs)}


def _made(rows: Rows) -> list[DesignPlan]:
    return [one for one in rows if isinstance(one, DesignPlan)]


def _row(one: DesignPlan | Unmade) -> tuple[str, ...]:
    if isinstance(one, Unmade):
        return (one.choice.name, *(NONE,) * 5)
    delay = "no bin leaves" if one.delay is None else f"{one.delay[0]} to {one.delay[1]}"
    numbers = (one.mechanism.level, one.mechanism.error_within(one.events), one.waiting)
    return (one.name, *map(str, numbers), delay, up(one.delta, 3))


def _live(one: DesignPlan | Unmade) -> tuple[str, ...]:
    live: LiveFigures | None = None if isinstance(one, Unmade) else one.live
    if live is None:
        return (NONE,) * 3
    delays = (up(live.mean_delay, 4), str(live.most_delay)) if live.bins else (NONE, NONE)
    return (str(live.waiting), *delays)


def _waiting(made: Sequence[DesignPlan]) -> Figure:
    horizons = _horizons(made[0].events)
    curves: list[FigureCurve] = [
        {"name": one.name, "points": [[str(n), str(one.mechanism.waiting(n))] for n in horizons]} for one in made
    ]
    return {"x": "events", "y": "most events waiting", "logarithmic": True, "curves": curves}


def _horizons(events: int) -> list[int]:
    """Some 60 whole numbers up to 10^6, evenly spread in their logarithm; so many for each power of 10."""
    steps = [1]
    while steps[-1] < events:
        steps.append(min(events, max(steps[-1] + 1, steps[-1] * 5 // 4)))
    return steps


def missing(rows: Rows) -> Section:
    """The designs that cannot be made, each with its reason; no rows where all are made."""
    words = "Designs that do not keep this promise over so many events, or were not found."
    reasons = ((one.choice.name, one.reason) for one in rows if isinstance(one, Unmade))
    return section("Not made", words, ("design", "reason"), reasons)


def profile(rows: Rows) -> Section:
    """The proven delta of every design at several e^epsilon, with the curves through more of them."""
    designs = _made(rows)
    exp_epsilon = designs[0].promise.exp_epsilon
    words = "δ of RandBin's bins and schedule under one event more or less, by lemma:randbin_NPDO: a load shifted by "
    words += f"1, beside what the scheduler gives away. Promised at {stated('e^ε', Cell(shown(exp_epsilon)))}."
    cells = ((shown(e), *(shown(one.mechanism.delta_at(e)) for one in designs)) for e in _slopes(exp_epsilon, ROWS))
    whole = section("Proven profiles (lemma:randbin_NPDO)", words, ("e^ε", *(one.name for one in designs)), cells)
    slopes = list(_slopes(exp_epsilon, CURVE_POINTS))
    curves: list[FigureCurve] = [
        {"name": one.name, "points": [[text(e), text(one.mechanism.delta_at(e))] for e in slopes]} for one in designs
    ]
    return {
        **whole,
        "figure": {"x": "e^ε", "y": "proven δ", "logarithmic": True, "curves": curves},
    }


def _slopes(exp_epsilon: Fraction, steps: int) -> Iterator[Fraction]:
    """e^0, and every further step of epsilon: the promised e^epsilon is one of them, exactly."""
    yield Fraction(1)
    for j in range(1, int(steps * PAST) + 1):
        whole, part = divmod(j, steps)
        rest = power_below(exp_epsilon, Fraction(part, steps), steps=STEP_DENOMINATOR) if part else 1
        yield exp_epsilon**whole * rest
