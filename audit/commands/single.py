"""`dpcert audit TARGET`: one audit, shown, written and held against what was asked."""

import contextlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import click

from dpcert.audit.commands.arguments import assigned
from dpcert.audit.commands.exchanged import Baseline, exchange
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
from dpcert.audit.context.written import context
from dpcert.audit.errors import one_line
from dpcert.audit.records.assembled import Examination
from dpcert.audit.records.beside import said, with_commit, with_page
from dpcert.audit.records.record import Record
from dpcert.audit.render.headline import badge
from dpcert.audit.render.text import show
from dpcert.audit.render.words import headline
from dpcert.audit.suites.case import Case
from dpcert.audit.suites.deciding import examined
from dpcert.audit.suites.outcome import CaseOutcome
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta


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
    to = places(**files)
    quiet = options["quiet"]
    printed = not quiet and "-" not in files.values()
    if printed:
        place("-")
    not_over(target.rpartition(":")[0], *to.values())
    not_over(options["declared"] or "", *to.values())
    if baseline.path is not None and baseline.update:
        to["baseline"] = place(baseline.path)
    with progress_line(quiet) as progress, foreign_prints_on_stderr():
        found = examined(case, progress)
        proof = _certificate(found, options["certificate_gap"]) if "certificate" in to else ""
        interrupts.working = False
    made = found.record if case.context is None else found.record.in_context(case.context)
    made = Record(with_page(with_commit(made.document, target), page))
    outcome = CaseOutcome(case, made.document, status=made.exit_status)
    compared = baseline.compared([outcome], None)
    exchanged = exchange([outcome], compared, None, options["junit_style"], [case])
    outputs: list[tuple[Place | None, Callable[[], str]]] = [
        (to.get("json"), made.to_json),
        (to.get("html"), lambda: made.to_html(proof)),
        (to.get("registry"), lambda: _entry(made.document)),
        (to.get("certificate"), lambda: proof),
        *exchanged.outputs(to),
        (to.get("baseline"), lambda: _written(compared.updated)),
    ]

    def show_all() -> None:
        from rich.console import Console  # only now is a report shown

        show(made.document, Console(highlight=False, emoji=False), details=options["details"])
        for change in compared.changed:
            click.echo(f"baseline: {'worse: ' if change in compared.worse else ''}{change.in_words}")
        if options["annotations"]:
            click.echo(exchanged.annotations(), nl=False)

    write_all(outputs, show_all if printed else None)
    status = made.exit_status or (1 if compared.worse else 0)
    if quiet and status:
        why = next((f"baseline: {one.in_words}" for one in compared.worse), "")
        line = why if why and not made.exit_status else f"{badge(made.document)}: {headline(made.document)}"
        with contextlib.suppress(OSError, ValueError):
            click.echo(f"dpcert: {one_line(target)}: {one_line(line)}", err=True)
    return 0 if options["exit_zero"] else status


def _certificate(found: Examination, gap: Fraction | None) -> str:
    from dpcert.audit.certificates.certificate import DEFAULT_GAP, certificate

    return certificate(found.audited, found.record.document, DEFAULT_GAP if gap is None else gap)


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
        context=None if options["declared"] is None else context(options["declared"]),
        **{name: options[name] for name in same},
    )
