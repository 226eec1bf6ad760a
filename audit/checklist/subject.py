"""A mechanism as an audit takes it: what its adversary sees, the core that it is, and what was found on the way."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

from dpcert.audit.budget import Budget, Stopped, best_so_far, check_rounds
from dpcert.audit.checklist.hints import Hints, hints_of
from dpcert.audit.checklist.publishing import (
    CodeRead,
    are_many,
    core_part,
    post_processing,
    publishes,
    read_alone,
    reading_of,
    with_values,
)
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import checked_rounds
from dpcert.audit.kernels.code import Code, online
from dpcert.audit.kernels.core import Core, merged
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.linear import LISTED_ROUNDS
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.kernels.published import publisher_of
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import Adjacency, AnyRounds, ChallengeAt, Hamming, UnitHamming, inputs_of


@frozen
class Subject:
    """One mechanism within a horizon.

    Attributes:
        seen: All that an adversary sees; adversaries are replayed on it.
        played: What games are played on, with the same curves as `seen` and fewer positions where that is possible.
        core: The core, where conditions 1 to 3 hold; STABLE_COST is about it.
        findings: Conditions 1, 2, 3 and 5; DETERMINISTIC_MAP is missing where only a finished game can tell.
        hints: The certificate that the mechanism declares, if it does.
        open: Why nothing can be concluded for the mechanism as such, where that is so.
        offline: The code, where an output reads later inputs: then there is no interactive mechanism to play.
        inputs: All that a world can be handed.
        asked: The mechanism as it was asked.
    """

    seen: View
    played: View
    core: Core | None
    findings: Mapping[Item, Finding]
    hints: Hints | None = None
    open: str | None = None
    offline: Code | None = None
    inputs: tuple[Any, ...] = ()
    asked: View | Code | None = None


def subject_of(mechanism: object, view: View | Code, relation: Adjacency[Any], horizon: int, budget: Budget) -> Subject:
    """Conditions 1 to 3 and 5 of Checklist 1, as far as they can be decided before a game is played."""
    checked_rounds(horizon, view.horizon)
    inputs = inputs_of(relation, view.alphabet)
    subject = replace(
        _examined(mechanism, view, inputs, horizon, budget), hints=hints_of(mechanism), inputs=inputs, asked=view
    )
    if isinstance(subject.seen, Core) and subject.seen is subject.core and not _shows_more(mechanism, view, subject):
        subject = _with_futures(subject, subject.seen, relation, horizon, budget)
    unknown = subject.findings[Item.POST_PROCESSING].verdict is Verdict.UNDECIDED
    if unknown and subject.open is None and publisher_of(mechanism, view.name) is not None:
        return replace(subject, open="whether what is published follows from the core was not decided")
    return subject


def _shows_more(mechanism: object, view: View | Code, subject: Subject) -> bool:
    """Whether something is published of which it is not known that it follows from the core."""
    follows = subject.findings[Item.POST_PROCESSING].verdict is Verdict.HOLDS
    return not follows and publisher_of(mechanism, view.name) is not None


def _examined(mechanism: object, view: View | Code, inputs: tuple[Any, ...], horizon: int, budget: Budget) -> Subject:
    if isinstance(view, Code):
        check_rounds(horizon)
        budget.progress("running the code on every seed and stream")
        return _of_code(mechanism, view, inputs, horizon, budget)
    publisher = publisher_of(mechanism, view.name)
    reading = None if publisher is None else reading_of(mechanism, publisher)
    if isinstance(view, Core):
        view = _merged(view, horizon, budget)
    whole = view if publisher is None else with_values(mechanism, view, publisher)
    releases = _released(view, whole, inputs, horizon, budget, reading=reading)
    if isinstance(releases.clean, Core):
        return _joined(releases, releases.clean, _of_core())
    budget.progress("comparing the laws of the next release")
    from dpcert.audit.checklist.fresh import freshness

    fresh, core = freshness(releases.clean, inputs, horizon, budget)
    return _joined(releases, core, _of_steps() | {Item.FRESH_RANDOMNESS: fresh})


def _merged(core: Core, horizon: int, budget: Budget) -> Core:
    """The core on fewer states, where it is linear and there is time to ask for all its weights, one by one."""
    if core.linear is not None and core.linear.sparse and horizon > LISTED_ROUNDS:
        return core
    with best_so_far(budget), within(budget.check_early):
        return merged(core, horizon)
    return core


def _with_futures(subject: Subject, core: Core, relation: Adjacency[Any], horizon: int, budget: Budget) -> Subject:
    """The subject played on a core whose prefixes are merged by law and future, where every prefix is met anyhow.

    Adversaries are replayed on the core as it is. Nothing may be published beside it: that could tell prefixes apart.
    """
    if not core.tells_prefixes_apart or not _meets_all(relation):
        return subject
    from dpcert.audit.kernels.futures import count_prefixes, merged_by_futures

    prefixes = count_prefixes(len(core.alphabet), horizon)
    if budget.max_positions is not None and prefixes > budget.max_positions:
        return subject
    budget.progress(f"asking for the laws of {prefixes} prefixes")
    with best_so_far(budget), within(budget.check_early):
        merged_core = merged_by_futures(core, horizon)
        subject = replace(subject, played=merged_core, core=merged_core)
    if subject.core is not core:  # no rung is decided of laws that were asked for once
        with best_so_far(budget), within(budget.check_late):
            budget.progress(f"asking again for the laws of {prefixes} prefixes")
            core.changed_prefix()
    return subject


def _meets_all(relation: Adjacency[Any]) -> bool:
    """Whether every prefix is one of a pair of streams."""
    if isinstance(relation, ChallengeAt):
        return type(relation.adjacency) in (Hamming, AnyRounds)
    if type(relation) in (Hamming, UnitHamming, AnyRounds):
        return True
    from dpcert.audit.relations.hops import Hops

    return isinstance(relation, Hops) and _meets_all(relation.adjacency)


def _of_code(mechanism: object, code: Code, inputs: tuple[Any, ...], horizon: int, budget: Budget) -> Subject:
    machine = None
    with best_so_far(budget) as part, within(budget.check_early):
        if set(inputs) <= set(code.alphabet) and publisher_of(mechanism, code.name) is None:
            machine = code.machine(horizon)
        if machine is None:
            code.seeds(horizon)
    if part.stopped:
        return _without_seeds(code, f"the law of the seeds was not found: {part.stopped}")
    if machine is not None:
        return _of_machine(code, machine, inputs, horizon, budget)
    live = online(code, horizon)
    publisher = publisher_of(mechanism, code.name)
    whole = live if publisher is None else online(code, horizon, publisher.beside)
    from dpcert.audit.checklist.of_code import examined

    examination = examined(code, inputs, horizon, budget, cache(partial(publishes, whole, inputs)), mechanism)
    verdicts = {item: finding.verdict for item, finding in examination.findings.items()}
    reason, offline = None, None
    if verdicts[Item.PREFIX_DEPENDENCE] is Verdict.REFUTED:
        reason, offline = "an output reads later inputs, so there is no interactive mechanism", code
    elif verdicts[Item.DETERMINISTIC_MAP] is Verdict.REFUTED:
        reason = "the code does not answer alike when asked again"
    elif Verdict.UNDECIDED in (verdicts[Item.PREFIX_DEPENDENCE], verdicts[Item.DETERMINISTIC_MAP]):
        reason = "whether the code is a mechanism was not decided"
    releases = _released(live, whole, inputs, horizon, budget, reason)
    return replace(_joined(releases, examination.core, examination.findings), open=reason, offline=offline)


def _of_machine(code: Code, machine: Machine, inputs: tuple[Any, ...], horizon: int, budget: Budget) -> Subject:
    """Code whose states are merged: every condition is decided by state."""
    from dpcert.audit.checklist.of_machine import examined_by_state

    live = machine.live(code.horizon)
    examination = examined_by_state(code, machine, inputs, budget, cache(partial(publishes, live, inputs)))
    releases = _released(live, live, inputs, horizon, budget)
    return _joined(releases, examination.core, examination.findings)


def _without_seeds(code: Code, reason: str) -> Subject:
    """Code of which nothing is known: no round of it can be played."""

    def kernel(*_: object) -> Kernel:
        raise Stopped(reason)

    live = Hidden(code.name, code.alphabet, (None, ()), code.horizon, kernel)
    items = (Item.PREFIX_DEPENDENCE, Item.FRESH_RANDOMNESS, Item.DETERMINISTIC_MAP, Item.POST_PROCESSING)
    unknown = Finding(Verdict.UNDECIDED, None, "no execution", f"Not decided: {reason}.")
    return Subject(live, live, None, dict.fromkeys(items, unknown), open=reason)


@frozen
class _Releases:
    """What is released: all that is known to be seen, the core releases alone, and POST_PROCESSING."""

    seen: View
    clean: View
    finding: Finding


def _released(
    view: View,
    whole: View,
    inputs: tuple[Any, ...],
    horizon: int,
    budget: Budget,
    reason: str | None = None,
    reading: CodeRead | None = None,
) -> _Releases:
    """`view` has the values that are released beside the core, `whole` those of the mechanism's own `publish` as well.

    With a `reason` there are no executions to compare. Where there are too many, the code of `publish` is read.
    """
    with best_so_far(budget) as part, within(budget.check_early):
        published = publishes(whole, inputs)
    if part.stopped:
        return _Releases(view, view, Finding(Verdict.UNDECIDED, None, "no execution", f"Not decided: {part.stopped}."))
    if not published:
        return _Releases(view, view, by_construction("What is released is the core itself."))
    if reason is not None:
        return _Releases(
            view, core_part(view), Finding(Verdict.UNDECIDED, None, "no execution", f"Not decided: {reason}.")
        )
    finding = _post_processing(view, whole, inputs, horizon, budget, reading)
    seen = whole if finding.verdict is Verdict.REFUTED else view
    was_read = finding.method is Method.BY_CONSTRUCTION  # then no release has a value beside it
    return _Releases(seen, view if was_read else core_part(view), finding)


def _post_processing(
    view: View, whole: View, inputs: tuple[Any, ...], horizon: int, budget: Budget, reading: CodeRead | None
) -> Finding:
    """All executions are compared; where they are many, the code of `publish` is read first.

    What was compared says nothing if a first law left something behind that stays, which a later run begins without.
    """
    read = None
    if reading is not None and are_many(whole, inputs, horizon):
        budget.progress("reading the code of publish")
        read = read_alone(view, reading, inputs, horizon, budget)
        if read.verdict is Verdict.HOLDS:
            return read
    finding = post_processing(whole, inputs, horizon, budget)
    changed = "" if reading is None or finding.verdict is not Verdict.HOLDS else reading.changed()
    if changed:
        return Finding(Verdict.UNDECIDED, None, finding.scope, f"Not decided: {changed}.")
    if read is None or finding.verdict is not Verdict.UNDECIDED:
        return finding
    return replace(finding, detail=f"{finding.detail} {read.detail}")


def _joined(releases: _Releases, core: Core | None, findings: Mapping[Item, Finding]) -> Subject:
    """Where POST_PROCESSING holds, a game on the core releases alone has the curves of the whole."""
    whole = {**findings, Item.POST_PROCESSING: releases.finding}
    if releases.finding.verdict is not Verdict.HOLDS:
        return Subject(releases.seen, releases.seen, core, whole)
    return Subject(releases.clean, core or releases.clean, core, whole)


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
