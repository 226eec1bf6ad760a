"""A plan of continual DP-SGD as a document, and what was asked for as a page shows it."""

from typing import NotRequired, TypedDict

from dpcert.audit.algebra.rational import text
from dpcert.mechanisms.accounting.shift import GaussianShift
from dpcert.mechanisms.design.plan_document import horizon, number
from dpcert.mechanisms.learning.calibration import CalibrationStep
from dpcert.mechanisms.learning.plan import CalibrationPlan, SgdPlan, SgdQuestion, SgdUnmade, SweptSplit


class PieceDocument(TypedDict):
    """A step size, from a bin on."""

    bin: int
    rate: str


class UserDocument(TypedDict):
    """What is kept for all events of one user."""

    edits: int
    epsilon: str
    delta: str
    each_epsilon: str
    each_delta: str


class StepDocument(TypedDict):
    """A step of the account."""

    claims: str
    theorem: str
    says: str
    value: str


class SgdRowDocument(TypedDict):
    """A calibration, and what it costs: rationals in text, counts as numbers."""

    split: str
    U: int
    E: list[list[int]]
    backlog_worst: int
    delay_worst: int
    delay_mean: str
    releases_mean: str
    releases_most: int
    sigma: str
    noise_per_coordinate: str
    model_variance_per_coordinate: str | None
    mu: str
    rho: str
    epsilon: str
    delta: str
    user: UserDocument
    steps: list[StepDocument]


class SgdUnmadeDocument(TypedDict):
    """A calibration that cannot be made."""

    reason: str


class SweptDocument(TypedDict):
    """A split that was tried."""

    calibration: str
    split: str
    U: int
    backlog_worst: int
    noise_per_coordinate: str


class SgdPlanDocument(TypedDict):
    """A plan, as `audit/records/schemas/plan-sgd-1.json` describes it."""

    schema: str
    epsilon: str
    delta: str
    horizon: int
    split: str
    minimise: str
    core: str
    optimiser: str
    dimension: int
    clip: str
    adaptive_clip: NotRequired[str | None]
    learning_rate: list[PieceDocument]
    events_per_user: int
    apart: int
    paper: SgdRowDocument | SgdUnmadeDocument
    sharp: SgdRowDocument | SgdUnmadeDocument
    gaussian: SgdRowDocument | SgdUnmadeDocument
    sweep: list[SweptDocument]
    lead: str


def sgd_document(plan: SgdPlan, lead: str) -> SgdPlanDocument:
    """The plan as JSON values."""
    question = plan.question
    paper, sharp, gaussian = (_row(row) for row in plan.rows)
    eta = question.updates.schedule
    return {
        "schema": "dpcert.plan-sgd/1",
        "epsilon": text(question.epsilon),
        "delta": text(question.delta),
        "horizon": question.events,
        "split": "auto" if question.split is None else text(question.split),
        "minimise": question.objective.text,
        "core": question.core,
        "optimiser": question.optimiser,
        "dimension": question.updates.dimension,
        "clip": text(question.updates.clip),
        "adaptive_clip": None if question.adaptive is None else text(question.adaptive.start),
        "learning_rate": [
            {"bin": start, "rate": text(value)} for start, value in zip(eta.starts, eta.values, strict=True)
        ],
        "events_per_user": question.user.most,
        "apart": question.user.apart,
        "paper": paper,
        "sharp": sharp,
        "gaussian": gaussian,
        "sweep": [_swept(one) for one in plan.swept],
        "lead": lead,
    }


def _row(row: CalibrationPlan | SgdUnmade) -> SgdRowDocument | SgdUnmadeDocument:
    if isinstance(row, SgdUnmade):
        return {"reason": row.reason}
    calibration, variance, user = row.calibration, row.squared_model_noise, row.user
    return {
        "split": text(calibration.wish.split),
        "U": calibration.randbin.level,
        "E": [list(pair) for pair in row.errors],
        "backlog_worst": row.waiting,
        "delay_worst": row.waiting,
        "delay_mean": text(row.mean_delay),
        "releases_mean": text(row.releases),
        "releases_most": calibration.core.rounds,
        "sigma": text(calibration.sigma),
        "noise_per_coordinate": text(row.noise),
        "model_variance_per_coordinate": None if variance is None else text(variance),
        "mu": text(row.mu),
        "rho": text(GaussianShift.of_mu(row.mu).rho.upper),
        "epsilon": text(calibration.wish.epsilon),
        "delta": text(calibration.proven),
        "user": {
            "edits": user.edits,
            "epsilon": text(user.epsilon),
            "delta": text(user.delta),
            "each_epsilon": text(user.each[0]),
            "each_delta": text(user.each[1]),
        },
        "steps": [_step(step) for step in calibration.steps],
    }


def _step(step: CalibrationStep) -> StepDocument:
    return {"claims": step.claims, "theorem": step.theorem, "says": step.says, "value": text(step.value)}


def _swept(one: SweptSplit) -> SweptDocument:
    return {
        "calibration": one.name,
        "split": text(one.split),
        "U": one.level,
        "backlog_worst": one.waiting,
        "noise_per_coordinate": text(one.noise),
    }


def sgd_asked(question: SgdQuestion) -> dict[str, str]:
    """The question for a page, name by name."""
    updates, user = question.updates, question.user
    eta = ", ".join(
        number(value) if start == 1 else f"{number(value)} from bin {start}"
        for start, value in zip(updates.schedule.starts, updates.schedule.values, strict=True)
    )
    facts = {
        "ε": number(question.epsilon),
        "δ": number(question.delta),
        "Horizon": horizon(question.events),
        "Split": f"the best for {question.objective.text}" if question.split is None else number(question.split),
        "Sums": question.core,
        "Optimiser": question.optimiser,
        "Components": str(updates.dimension),
        "Clip": number(updates.clip) if question.adaptive is None else question.adaptive.name,
        "Step size": eta,
    }
    if user.most == 1:
        return facts
    return facts | {"Events of one user": user.words}
