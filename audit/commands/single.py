"""`dpcert audit TARGET`: one audit, shown, written and held against what was asked."""

import contextlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.arguments import assigned
from dpcert.audit.commands.exchanged import AgainstBaseline, Baseline, Exchange, exchange
from dpcert.audit.commands.interrupts import Interrupts
from dpcert.audit.commands.output import (
    Place,
    foreign_prints_on_stderr,
    not_over,
    place,
    places,
    progress_line,
    write_all,
)
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.beside import said, with_commit, with_page
from dpcert.audit.records.record import Record
from dpcert.audit.render.headline import badge
from dpcert.audit.render.text import show_on_screen
from dpcert.audit.render.words import headline
from dpcert.audit.sampled.sampling import Sampling
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.deciding import examined, sampled
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta
from dpcert.audit.workers.workers import Workers

if TYPE_CHECKING:
    from dpcert.audit.context.document import ContextDocument


@frozen
class _Proof:
    """The certificate of an audit; or why there is none, which is said once the record is where it was asked for."""

    text: str = ""
    refusal: ArgumentError | None = None


def run(
    target: str, options: Mapping[str, Any], files: dict[str, str | None], baseline: Baseline, interrupts: Interrupts
) -> int:
    """The exit status of one audit.

    Args:
        target: What is audited.
        options: Those of the command, by name.
        files: Paths by option.
        baseline: What it may not be worse than.
        interrupts: Of the command.
    """
    case, page = _case(target, options), said(options["title"], options["note"])
    notes: list[str] = []
    workers = Workers(options["jobs"], options["scheduler"], notes.append)
    workers.check()
    to = _places(target, options, files, baseline)
    on_screen = not options["quiet"] and "-" not in files.values()
    if on_screen:
        place("-")
    with progress_line(options["quiet"]) as progress, foreign_prints_on_stderr():
        asked = options["certificate_gap"], options["certificate_rung"]
        only_shown = not to and baseline.path is None and options["annotations"] is None
        proven = asked if "certificate" in to else None
        record, proof = _decided(case, progress, proven, only_shown, workers)
        interrupts.working = False
    for note in [] if options["quiet"] else notes:
        click.echo(note, err=True)
    record = record if case.context is None else record.in_context(case.context)
    record = Record(with_page(with_commit(record.document, target), page))
    outcome = CaseOutcome(case, record.document, status=record.exit_status)
    comparison = baseline.compared([outcome], None)
    for_tools = exchange([outcome], comparison, None, options["junit_style"], [case])
    shown = partial(_show_all, record, comparison, for_tools, options) if on_screen else None
    write_all(_outputs(record, proof.text, comparison, for_tools, to), shown)
    if proof.refusal is not None:
        raise proof.refusal
    status = record.exit_status or (1 if comparison.worse else 0)
    if options["quiet"] and status:
        _say_why(target, record, comparison)
    return 0 if options["exit_zero"] else status


def _places(
    target: str, options: Mapping[str, Any], files: dict[str, str | None], baseline: Baseline
) -> dict[str, Place]:
    """Where what is to be written goes, by option. Raises: ArgumentError: over a file that is read, or nowhere."""
    to = places(**files)
    not_over(target.rpartition(":")[0], *to.values())
    not_over(options["declared"] or "", *to.values())
    if baseline.path is not None and baseline.update:
        to["baseline"] = place(baseline.path)
    return to


def _outputs(
    record: Record, proof: str, comparison: AgainstBaseline, for_tools: Exchange, to: Mapping[str, Place]
) -> list[tuple[Place | None, Callable[[], str]]]:
    """All that one audit can leave, and where each goes."""
    return [
        (to.get("json"), record.to_json),
        (to.get("html"), lambda: record.to_html(proof)),
        (to.get("registry"), lambda: _entry(record.document)),
        (to.get("certificate") if proof else None, lambda: proof),
        *for_tools.outputs(to),
        (to.get("baseline"), lambda: _written(comparison.update)),
    ]


def _show_all(record: Record, comparison: AgainstBaseline, for_tools: Exchange, options: Mapping[str, Any]) -> None:
    show_on_screen(record.document, details=options["details"])
    for change in comparison.changes:
        click.echo(f"baseline: {'worse: ' if change in comparison.worse else ''}{change.in_words}")
    if options["annotations"]:
        click.echo(for_tools.annotations(), nl=False)


def _say_why(target: str, record: Record, comparison: AgainstBaseline) -> None:
    """One line on standard error in place of the report, of what made the status other than 0."""
    why = next((f"baseline: {one.in_words}" for one in comparison.worse), "")
    line = why if why and not record.exit_status else f"{badge(record.document)}: {headline(record.document)}"
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"dpcert: {one_line(target)}: {one_line(line)}", err=True)


def _decided(
    case: Case,
    progress: Callable[[str], None],
    proven: tuple[Fraction | None, bool] | None,
    on_screen: bool,
    workers: Workers,
) -> tuple[Record, _Proof]:
    """The record, of a screen's length if it is for that alone; the certificate where one is wanted, as it is asked."""
    if case.tier == "sampled":
        if proven is not None:
            raise ArgumentError("Expected no --certificate with --tier sampled, which proves nothing, but got one")
        return sampled(case, progress), _Proof()
    found = examined(case, progress, on_screen, workers=workers)
    return found.record, _Proof() if proven is None else _certificate(found, *proven)


def _certificate(found: Examination, gap: Fraction | None, rung: bool) -> _Proof:
    from dpcert.audit.certificates.certificate import DEFAULT_GAP, certificate

    given = DEFAULT_GAP if gap is None else gap
    try:
        return _Proof(certificate(found.facts, found.record.document, given, rung=rung))
    except ArgumentError as error:
        return _Proof(refusal=error)


def _written(lines: Any) -> str:
    from dpcert.audit.suites.baseline import written

    return written(lines)


def _entry(document: Mapping[str, Any]) -> str:
    from dpcert.audit.exchange.registry import entry

    return entry(document)


def _case(target: str, options: Mapping[str, Any]) -> Case:
    """What the command line asks. Raises: ArgumentError: a parameter or a requirement that is none."""
    bounds = (*map(claim, options["claims"]), *map(required_delta, options["deltas_at"]))
    requirements = Requirements(bounds, options["require_no_gap"], options["require_certified"], options["slack"])
    same = ("horizon", "adjacency", "game", "hops", "challenge_round", "exp_epsilons", "epsilons", "deltas")
    return Case(
        name=one_line(target),
        target=target,
        place=target,
        parameters=assigned(options["params"]),
        relation=options["adjacency"],
        requirements=requirements,
        max_positions=options["max_positions"],
        max_seconds=options["max_seconds"],
        tier=options["tier"],
        gap=options["gap"],
        checkpoint=options["checkpoint"] or "",
        sampling=_sampling(options),
        context=None if options["declared"] is None else _declared(options["declared"]),
        **{name: options[name] for name in same},
    )


def _declared(file: str) -> "ContextDocument":
    from dpcert.audit.context.written import context

    return context(file)


def _sampling(options: Mapping[str, Any]) -> Sampling | None:
    """How a black box is sampled. Raises: ArgumentError: a number out of range."""
    if options["tier"] != "sampled":
        return None
    said = {name: options[name] for name in ("runs", "confidence", "seed") if options[name] is not None}
    return Sampling(**said, jobs=options["jobs"])
