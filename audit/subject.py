"""A mechanism as an audit takes it: what its adversary sees, the core that it is, and what was found on the way."""

from collections.abc import Mapping
from dataclasses import dataclass

from dpcert.audit.budget import Budget
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.fresh import freshness
from dpcert.audit.game import checked_horizon
from dpcert.audit.publishing import core_part, post_processing, publishes
from dpcert.audit.seeded import examined, online
from dpcert.audit.view import Code, Core, View


@dataclass(frozen=True)
class Subject:
    """One mechanism within a horizon.

    Attributes:
        seen: All that an adversary sees; adversaries are replayed on it.
        played: What games are played on, with the same curves as `seen` and fewer positions where that is possible.
        core: The core, where conditions 1 to 3 hold; STABLE_COST is about it.
        findings: Conditions 1, 2, 3 and 5; DETERMINISTIC_MAP is missing where only a finished game can tell.
        open: Why nothing can be concluded for the mechanism as such, where that is so.
        offline: The code, where an output reads later inputs: then there is no interactive mechanism to play.
    """

    seen: View
    played: View
    core: Core | None
    findings: Mapping[Item, Finding]
    open: str | None = None
    offline: Code | None = None


def subject_of(mechanism: object, view: View | Code, horizon: int, budget: Budget) -> Subject:
    """Conditions 1 to 3 and 5 of Checklist 1, as far as they can be decided before a game is played."""
    checked_horizon(view, horizon)
    if isinstance(view, Code):
        budget.progress("running the code on every seed and stream")
        return _of_code(mechanism, view, horizon, budget)
    clean, published = _published(mechanism, view, horizon, budget)
    if isinstance(clean, Core):
        return _joined(view, clean, clean, _of_core(), published)
    budget.progress("comparing the laws of the next release")
    fresh, core = freshness(clean, horizon, budget)
    findings = _of_steps() | {Item.FRESH_RANDOMNESS: fresh}
    return _joined(view, clean, core, findings, published)


def _joined(seen: View, clean: View, core: Core | None, findings: dict[Item, Finding], published: Finding) -> Subject:
    """Where POST_PROCESSING holds, a game on the core releases alone has the curves of the whole."""
    if published.verdict is not Verdict.HOLDS:
        return Subject(seen, seen, core, findings | {Item.POST_PROCESSING: published})
    return Subject(clean, core or clean, core, findings | {Item.POST_PROCESSING: published})


def _of_code(mechanism: object, code: Code, horizon: int, budget: Budget) -> Subject:
    found = examined(code, horizon, budget)
    live = online(code, horizon)
    clean, published = _published(mechanism, live, horizon, budget)
    core = found.core and core_part(found.core)
    made = _joined(live, clean, core if isinstance(core, Core) else None, dict(found.findings), published)
    verdicts = {item: finding.verdict for item, finding in found.findings.items()}
    if verdicts[Item.PREFIX_DEPENDENCE] is Verdict.REFUTED:
        reason = "an output reads later inputs, so there is no interactive mechanism"
        return Subject(made.seen, made.played, None, made.findings, reason, offline=code)
    if verdicts[Item.DETERMINISTIC_MAP] is Verdict.REFUTED:
        return Subject(made.seen, made.played, None, made.findings, "the code does not answer alike when asked again")
    if Verdict.UNDECIDED in (verdicts[Item.PREFIX_DEPENDENCE], verdicts[Item.DETERMINISTIC_MAP]):
        return Subject(made.seen, made.played, None, made.findings, "whether the code is a mechanism was not decided")
    return made


def _published(mechanism: object, view: View, horizon: int, budget: Budget) -> tuple[View, Finding]:
    """The mechanism's core releases alone, and POST_PROCESSING."""
    if not publishes(mechanism, view):
        return view, by_construction("What is released is the core itself.")
    return core_part(view), post_processing(mechanism, view, horizon, budget)


def _of_core() -> dict[Item, Finding]:
    return {
        Item.PREFIX_DEPENDENCE: by_construction("A core's law is given the inputs so far and no others."),
        Item.FRESH_RANDOMNESS: by_construction("Every round of a core draws from its own law."),
    }


def _of_steps() -> dict[Item, Finding]:
    return {
        Item.PREFIX_DEPENDENCE: by_construction("A step is given the inputs so far and no others."),
        Item.DETERMINISTIC_MAP: Finding(
            Verdict.HOLDS,
            Method.EXHAUSTIVE,
            "every state, input and draw met",
            "Every sequence of draws of every step was tried twice and gave the same release and state.",
        ),
    }


def by_construction(detail: str) -> Finding:
    """A condition that cannot fail for a mechanism of this kind."""
    return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, "every horizon", detail)
