"""One case decided: its target found, its mechanism made, and an audit in its scope."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from dpcert.audit.budget import Budget, silent
from dpcert.audit.defaults import DEFAULT_ADJACENCY, DEFAULT_EXP_EPSILONS
from dpcert.audit.entries import CASES, entries
from dpcert.audit.errors import ArgumentError, expected
from dpcert.audit.examine import examination
from dpcert.audit.finding import EXIT_STATUS, Verdict
from dpcert.audit.kernels import targets
from dpcert.audit.kernels.telling import told
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.command_case import CommandCaseDocument
from dpcert.audit.records.record import Record
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.workers.workers import THIS_PROCESS, Workers

LONG_CASE = 10
"""Seconds of solving after which a case of a suite keeps its levels in the cache, to go on if it is killed."""


def record(case: Case, progress: Callable[[str], None] = silent) -> Record:
    """The record of a case.

    Raises: DpcertError: a target, a mechanism or a scope that cannot be used; anything that the user's code raises.
    """
    return _in_context(case, sampled(case, progress) if case.tier == "sampled" else examined(case, progress).record)


def examined(
    case: Case,
    progress: Callable[[str], None] = silent,
    on_screen: bool = False,
    target: targets.Target | None = None,
    workers: Workers = THIS_PROCESS,
) -> Examination:
    """A case's audit, with what was played; for a screen alone, only with what is shown there. Raises: as `record`."""
    if case.tier == "sampled":
        raise RuntimeError("a black box taken for a mechanism")
    target = targets.find(case.place, dict(case.parameters)) if target is None else target
    with _shared(target, case, workers, progress):
        return examination(
            target.mechanism,
            game=case.game,
            adjacency=targets.relation(case.relation),
            **_asked(case, progress),
            tier=case.tier,
            gap=case.gap,
            checkpoint=case.checkpoint or case.cache,
            kept_after=0 if case.checkpoint else LONG_CASE,
            target=target.name,
            parameters=target.parameters,
            spelled=case.parameters,
            on_screen=on_screen,
        )


def _asked(case: Case, progress: Callable[[str], None]) -> dict[str, Any]:
    """What a case asks of any tier, and what that may take."""
    return {
        "horizon": case.horizon,
        "hops": case.hops,
        "challenge_round": case.challenge_round,
        "exp_epsilons": case.exp_epsilons or DEFAULT_EXP_EPSILONS,
        "epsilons": case.epsilons,
        "deltas": case.deltas,
        "requirements": case.requirements,
        "budget": Budget(case.max_positions, case.max_seconds, progress),
    }


def _shared(
    target: targets.Target, case: Case, workers: Workers, progress: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Lets others run the code inside, if there are any."""
    if workers.here:
        return nullcontext()
    from dpcert.audit.suites.shared_runs import runs_shared  # only now are others spoken to

    return runs_shared(target.mechanism, target.name, case.parameters, workers, progress)


def sampled(case: Case, progress: Callable[[str], None] = silent) -> Record:
    """The record of a case that is a black box. Raises: as `record`."""
    if case.game != "paired":
        raise expected("the paired game with --tier sampled", game=case.game)
    target = targets.find(case.place, dict(case.parameters))
    from dpcert.audit.sampled.estimate import estimate

    return estimate(
        target.mechanism,
        adjacency=targets.relation(case.relation) or DEFAULT_ADJACENCY[case.game],
        sampling=case.sampling,
        **_asked(case, progress),
        target=target.name,
        parameters=target.parameters,
    )


def of_command(case: Case) -> CommandCaseDocument:
    """What the command of a case finds.

    Raises: ArgumentError: no installed command decides cases by that name. Anything that the command raises.
    """
    commands = entries(CASES)
    if case.command not in commands:
        raise expected(
            f"a command that decides cases ({', '.join(commands) or 'none is installed'})", command=case.command
        )
    found: CommandCaseDocument = commands[case.command].load()(case)
    return found


def since(started: int) -> int:
    """Milliseconds since a moment of the monotonic clock, in nanoseconds."""
    return (time.monotonic_ns() - started) // 10**6


def decided(case: Case) -> CaseOutcome:
    """What becomes of a case, whatever it raises."""
    start = time.monotonic_ns()
    try:
        if case.command:
            said = of_command(case)
            why = "" if case.certificate_gap is None else "a command decided it"
            status = EXIT_STATUS[Verdict(said["verdict"])]
            return CaseOutcome(case, said, "", status, True, since(start), uncertified=why)
        if case.tier != "sampled":
            return replace(_examined_or_kept(case, start), milliseconds=since(start))
        outcome = record(case)
        why = "" if case.certificate_gap is None else "samples prove nothing"
    except KeyboardInterrupt:  # ours as well, before anything is known that a record could tell
        return CaseOutcome(case, error="interrupted; nothing was decided", run=False, milliseconds=since(start))
    except BaseException as error:  # noqa: BLE001 - whatever one case raises, the others go on
        line, status = told(error)
        return CaseOutcome(case, error=line, status=status, milliseconds=since(start))
    return CaseOutcome(case, outcome.document, "", outcome.exit_status, True, since(start), uncertified=why)


def _examined_or_kept(case: Case, started: int) -> CaseOutcome:
    """What an audit of a case finds, or found before where nothing has changed since."""
    target = targets.find(case.place, dict(case.parameters))
    known = None
    if case.cache:
        from dpcert.audit.suites.results import known_case  # only where something is kept

        known = known_case(case, target)
    found = None if known is None else known.outcome()
    if found is None:
        examination = examined(case, target=target)
        certificate, why = certified(case, examination)
        made = examination.record
        found = CaseOutcome(case, made.document, status=made.exit_status, certificate=certificate, uncertified=why)
        if known is not None:
            known.keep(examination, certificate, why, time.monotonic_ns() - started)
    if found.document is None or case.context is None:
        return found
    return replace(found, document=_in_context(case, Record(found.document)).document)


def certified(case: Case, examination: Examination) -> tuple[str, str]:
    """The certificate that a case asks for, or why there is none; neither where it asks for none.

    Args:
        case: What was asked.
        examination: What was found.
    """
    if case.certificate_gap is None:
        return "", ""
    from dpcert.audit.certificates.certificate import certificate  # only now is one written

    try:
        return certificate(examination.facts, examination.record.document, case.certificate_gap), ""
    except ArgumentError as error:
        return "", str(error)


def _in_context(case: Case, made: Record) -> Record:
    return made if case.context is None else made.in_context(case.context)
