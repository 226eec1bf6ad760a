"""Runs as JSON: what was asked, what every run gave, and the account of why it is private."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypedDict

from dpcert.audit.algebra.rational import text
from dpcert.mechanisms.learning.calibration import Calibration
from dpcert.mechanisms.learning.per_user import UserGuarantee, user_guarantee
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip, charged_clip
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.summary import Summary
from dpcert.mechanisms.training.trained import TrainedRun, parts

SCHEMA = "dpcert.sgd-run/1"
KINDS = {"batches": "hamming", "no-privacy": "none"}
"""What baselines keep; calibrations keep single edits."""


class SgdDocument(TypedDict):
    """All runs of one command; measured numbers are floats, what is promised and proven are rationals in text."""

    schema: str
    private: bool
    interrupted: bool
    remarks: list[str]
    results: list[dict[str, Any]]
    edits: list[dict[str, Any]]


def document(
    summaries: Sequence[Summary],
    edits: Sequence[dict[str, Any]],
    remarks: Sequence[str],
    *,
    simulated: bool,
    stopped: bool,
) -> SgdDocument:
    """As JSON values."""
    return {
        "schema": SCHEMA,
        "private": not simulated,
        "interrupted": stopped,
        "remarks": list(remarks),
        "results": [_result(one) for one in summaries],
        "edits": list(edits),
    }


def account(method: str, setting: SgdSetting) -> list[tuple[str, str, str, Fraction]]:
    """Claims, theorem, what they say, and its number, step by step."""
    made = parts(setting, method)
    return [(step.claims, step.theorem, step.says, step.value) for step in made.steps]


def _result(one: Summary) -> dict[str, Any]:
    setting, wish, first = one.setting, one.setting.wish, one.runs[0]
    rates, user = setting.schedule, user_of(one)
    plan = parts(setting, one.method)
    return {
        "stream": setting.stream,
        "method": one.method,
        "epsilon": text(wish.epsilon),
        "delta": text(wish.delta),
        "events": wish.events,
        "split": text(wish.split),
        "core": setting.core,
        "model": type(setting.plain).__name__,
        "clip": text(charged_clip(setting.clip)),
        "adaptive_clip": text(setting.clip.start) if isinstance(setting.clip, AdaptiveClip) else None,
        "learning_rate": [{"bin": b, "rate": text(v)} for b, v in zip(rates.starts, rates.values, strict=True)],
        "optimiser": setting.optimiser,
        "neighbours": KINDS.get(one.method, "edit"),
        "proven_delta": text(first.proven),
        "user": None if user is None else _user(user),
        "level": first.level,
        "noise_per_coordinate": float(first.noise_per_coordinate),
        "accuracy": one.accuracy.document,
        "delay_mean": one.delay.document,
        "delay_most": one.longest_delay.document,
        "waiting_most": one.most_waiting.document,
        "releases": one.releases.document,
        "seconds": one.seconds.document,
        "account": _steps(plan),
        "runs": [_run(run) for run in one.runs],
    }


def user_of(one: Summary) -> UserGuarantee | None:
    """What is kept for all events of one user; None of baselines, which keep nothing of the kind."""
    if one.method in KINDS:
        return None
    return user_guarantee(one.setting.wish.epsilon, one.runs[0].proven, one.setting.edits)


def _user(user: UserGuarantee) -> dict[str, Any]:
    each = {"each_epsilon": text(user.each[0]), "each_delta": text(user.each[1])}
    return {"edits": user.edits, "epsilon": text(user.epsilon), "delta": text(user.delta), **each}


def _steps(plan: Any) -> list[dict[str, str]]:
    if not isinstance(plan, Calibration):
        return []
    return [
        {"claims": step.claims, "theorem": step.theorem, "says": step.says, "value": text(step.value)}
        for step in plan.steps
    ]


def _run(run: TrainedRun) -> dict[str, Any]:
    measures = run.measures
    return {
        "seed": run.seed,
        "first_event": measures.first + 1,
        "accuracy": measures.accuracy,
        "accuracy_over_time": measures.windows(),
        "waiting": measures.waiting(),
        "delays": measures.histogram(),
        "trajectory": measures.trajectory(),
        "last_model": None if measures.last is None else measures.last.tolist(),
        "deleted": run.deleted,
        "inserted": run.inserted,
        "seconds": run.seconds,
    }
