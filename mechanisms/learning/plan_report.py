"""A plan of continual DP-SGD in words, tables and figures."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from dpcert.audit.algebra.decimals import down, near, up
from dpcert.audit.algebra.rational import text
from dpcert.audit.records.section import Figure, FigureCurve, Section, section
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.aggregators.core import root_above
from dpcert.mechanisms.design.plan_report import NONE
from dpcert.mechanisms.learning.plan import CalibrationPlan, SgdPlan, SgdUnmade

DIGITS = 4


def sgd_lead(plan: SgdPlan) -> str:
    """How much noise and waiting the best calibration saves beside the paper's."""
    paper, best = plan.rows[0], min(plan.made, key=lambda row: row.noise)
    what = f"{_number(best.noise)} of noise a coordinate and at most {best.waiting:,} events waiting ({best.name})"
    if isinstance(paper, SgdUnmade) or best is paper:
        return f"At these ε and δ: {what}."
    times = down(paper.noise / best.noise, 3)
    rest = f"instead of {_number(paper.noise)} and {paper.waiting:,} ({paper.name}): {times} times less noise"
    return f"At the same ε and δ: {what}, {rest}."


def sgd_sections(plan: SgdPlan, say: Callable[[str], None]) -> Iterator[Section]:
    """The tables and figures, each announced before it is worked out."""
    say("Working out how long events wait")
    yield _waiting(plan)
    say("Working out the noise")
    yield _noise(plan)
    yield _users(plan)
    yield section(
        "Not made",
        "Calibrations that do not keep this promise, or were not found.",
        ("calibration", "reason"),
        ((row.name, row.reason) for row in plan.rows if isinstance(row, SgdUnmade)),
    )
    if plan.swept:
        yield _split(plan)
        yield _frontier(plan)
    for row in plan.made:
        yield _account(row)


def _number(value: Fraction) -> str:
    return up(value, DIGITS)


def _waiting(plan: SgdPlan) -> Section:
    words = "U and E are RandBin's level and its scheduler's error. The most events that ever wait, and the longest "
    words += "delay in rounds, are bounds that no run exceeds; means are expected, and prove nothing."
    columns = ("calibration", "split", "U", "E", "most waiting", "longest delay", "mean delay", "models")

    def cells(row: CalibrationPlan | SgdUnmade) -> tuple[object, ...]:
        if isinstance(row, SgdUnmade):
            return (row.name, *(NONE,) * (len(columns) - 1))
        made = row.calibration
        error = made.randbin.error_within(plan.question.events)
        means = _number(row.mean_delay), up(row.releases, 6)
        return (row.name, near(made.wish.split), made.randbin.level, error, row.waiting, row.waiting, *means)

    return section("Waiting", words, columns, map(cells, plan.rows), brief=True)


def _noise(plan: SgdPlan) -> Section:
    words = (
        "Sigma is the deviation of the noise in grid units of the sums' rows, the noise a coordinate the same in units "
    )
    words += "of the model; mu and rho are of the ideal sums under one event more or less (of one of two hops, for "
    words += "paper). δ is proven of all that is released, at the promised ε, and rounded up."
    if plan.question.adaptive is not None:
        words += " The clip follows gradients: noise is in units of the clip in force."
    columns = ("calibration", "sigma", "noise a coordinate", "of a released model", "mu", "rho", "δ")

    def cells(row: CalibrationPlan | SgdUnmade) -> tuple[object, ...]:
        if isinstance(row, SgdUnmade):
            return (row.name, *(NONE,) * (len(columns) - 1))
        variance = row.squared_model_noise
        model = NONE if variance is None else _number(root_above(variance))
        rho = GaussianShift.of_mu(row.mu).rho.upper
        shown = (_number(row.noise), model, up(row.mu, DIGITS), up(rho, DIGITS), up(row.calibration.proven, DIGITS))
        return (row.name, up(row.calibration.sigma, 6), *shown)

    return section("Noise", words, columns, map(cells, plan.rows), brief=True)


def _users(plan: SgdPlan) -> Section:
    """Empty where single events are all that was asked about."""
    most = plan.question.user.most
    words = "What one user's events cost together, by group privacy: as many hops as events. To keep the promise "
    words += "itself for all of them, plan for the last two columns, which are rounded down."
    columns = ("calibration", "events", "ε for all", "δ for all", "plan for ε", "and δ")

    def cells(row: CalibrationPlan) -> tuple[object, ...]:
        user = row.user
        each = down(user.each[0]), down(user.each[1], DIGITS)
        return row.name, user.edits, near(user.epsilon), up(user.delta, DIGITS), *each

    return section("Several events of one user", words, columns, map(cells, plan.made if most > 1 else ()), brief=True)


def _split(plan: SgdPlan) -> Section:
    words = (
        "How the noise a coordinate and the waiting change with the share of ε that goes to buffering; δ is halved. "
    )
    words += "Splits beside the one above are worked out for ideal noise."
    columns = ("calibration", "share", "U", "most waiting", "noise a coordinate")
    rows = ((one.name, text(one.split), one.level, one.waiting, _number(one.noise)) for one in plan.swept)
    whole = section("The split of ε", words, columns, rows)
    return {**whole, "figure": _figure(plan, "share of ε for buffering, in percent", lambda split, _: 100 * split)}


def _frontier(plan: SgdPlan) -> Section:
    words = "Each point is a split: less waiting to the left, less noise below."
    made = ((row.name, row.waiting, _number(row.noise)) for row in plan.made)
    whole = section("Waiting against noise", words, ("calibration", "most waiting", "noise a coordinate"), made)
    return {**whole, "figure": _figure(plan, "most events waiting", lambda _, waiting: Fraction(waiting))}


def _figure(plan: SgdPlan, x: str, at: Callable[[Fraction, int], Fraction]) -> Figure:
    curves: list[FigureCurve] = []
    for row in plan.rows:
        mine = [one for one in plan.swept if one.name == row.name]
        points = [[text(at(one.split, one.waiting)), text(one.noise)] for one in mine]
        if points:
            curves.append({"name": row.name, "points": points})
    return {"x": x, "y": "noise a coordinate", "logarithmic": True, "curves": curves}


def _account(row: CalibrationPlan) -> Section:
    words = "Each step with the claims that it rests on, and its theorem in the paper."
    steps = (
        (step.claims or NONE, step.theorem or NONE, step.says, _number(step.value)) for step in row.calibration.steps
    )
    return section(f"Why it is private: {row.name}", words, ("claims", "theorem", "step", "number"), steps)
