"""`dpcert audit --suite`: many audits from one file, a line each as it finishes, and what they come to together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpcert.audit.commands.exchanged import Baseline, Exchange, exchange
from dpcert.audit.commands.interrupts import Interrupts, reading
from dpcert.audit.commands.output import STANDARD, Place, not_over, place, places, progress_line, shown, write_all
from dpcert.audit.errors import ArgumentError, OutputError, expected, one_line
from dpcert.audit.frozen import frozen

if TYPE_CHECKING:
    from dpcert.audit.records.contract import PageDocument
    from dpcert.audit.suites.case import Case, Suite
    from dpcert.audit.suites.outcome import CaseOutcome


@frozen
class SuiteOptions:
    """What the command line says of a suite.

    Attributes:
        file: The suite.
        only: Patterns of the cases to run; none for all.
        jobs: Processes at once.
        scheduler: Address of a Dask scheduler whose workers decide the cases; None for processes of this machine.
        max_positions: For each case, at most.
        max_seconds: For the whole.
        files: Paths by option: json, html, junit, sarif, markdown.
        style: Of JUnit.
        annotations: Whether annotations are printed.
        exit_zero: Whether to end with 0 whatever is found.
        quiet: Whether nothing is printed but a line on failure.
        baseline: What nothing may be worse than.
        page: What its author says on the index page.
        certificate_gap: What bounds of certificates may exceed delta by, where certificates are asked for.
        cache: The folder in which the results of cases are kept for later runs; None for none.
    """

    file: str
    only: tuple[str, ...] = ()
    jobs: int = 1
    scheduler: str | None = None
    max_positions: int | None = None
    max_seconds: int | None = None
    files: dict[str, str | None] = field(default_factory=dict)
    style: str = "places"
    annotations: bool = False
    exit_zero: bool = False
    quiet: bool = False
    baseline: Baseline = field(default_factory=Baseline)
    page: "PageDocument" = field(default_factory=dict)  # type: ignore[assignment]  # none of its keys is required
    certificate_gap: Fraction | None = None
    cache: str | None = None


def run(options: SuiteOptions, interrupts: Interrupts) -> int:
    """The exit status of a suite: refuted before bad input before undecided before holds."""
    with reading():
        from dpcert.audit.commands.pages import write_certificates
        from dpcert.audit.kernels.targets import append_to_path
        from dpcert.audit.suites.expanding import suite as expanded
        from dpcert.audit.suites.outcome import exit_status
    whole = expanded(options.file)
    append_to_path(str(Path(options.file).resolve().parent))  # where the suite's own packages are
    cases = _chosen(whole, options)
    to = places(**{name: path for name, path in options.files.items() if name != "certificate"})
    not_over(options.file, *to.values())
    folder = _folder("certificate", options.files.get("certificate"))
    if options.baseline.path is not None and options.baseline.update:
        to["baseline"] = place(options.baseline.path)
    on_screen = not options.quiet and "-" not in options.files.values()
    if on_screen:
        place("-")
    outcomes = _outcomes(whole, cases, options, to, interrupts, on_screen)
    comparison = options.baseline.compared(outcomes, whole.cases)
    for_tools = exchange(outcomes, comparison, options.file, options.style, whole.cases)
    if folder is not None:
        write_certificates(for_tools.cases, folder)
    statuses = [one.exit_status for one in outcomes] + [1] * bool(comparison.worse)
    if on_screen:
        shown(lambda: _report(for_tools, whole, comparison.changes, options))
    _write(for_tools, outcomes, whole, comparison.update, options, to)
    status = exit_status(statuses)
    if options.quiet and status:
        from dpcert.audit.exchange.index import counted

        click.echo(f"dpcert: {one_line(options.file)}: {counted(for_tools.cases, for_tools.losses)}", err=True)
    return 0 if options.exit_zero else status


def _chosen(whole: "Suite", options: SuiteOptions) -> list["Case"]:
    """The cases to run, within the bounds of the command line. Raises: ArgumentError: a pattern that finds none."""
    from dataclasses import replace

    unmet = [pattern for pattern in options.only if not any(_meets(case, pattern) for case in whole.cases)]
    if unmet:
        names = ", ".join(case.name for case in whole.cases[:20])
        raise ArgumentError(f"Expected a case of {one_line(options.file)} ({names}) but got only={one_line(unmet[0])}")
    cases = [case for case in whole.cases if not options.only or any(_meets(case, p) for p in options.only)]
    cases = [replace(case, certificate_gap=_gap(options)) for case in cases]
    if (cache := _folder("cache", options.cache)) is not None:
        kept = str(cache.resolve())
        cases = [case if case.command or case.tier == "sampled" else replace(case, cache=kept) for case in cases]
    most = options.max_positions
    if most is None:
        return cases
    return [replace(case, max_positions=min(most, case.max_positions or most)) for case in cases]


def _gap(options: SuiteOptions) -> Fraction | None:
    """What certificates may exceed delta by; None where there are to be none."""
    if options.files.get("certificate") is None:
        return None
    from dpcert.audit.certificates.certificate import DEFAULT_GAP

    return DEFAULT_GAP if options.certificate_gap is None else options.certificate_gap


def _folder(option: str, path: str | None) -> Path | None:
    """The folder that an option names, made where it is not there. Raises: OutputError: it cannot be made."""
    if path is None:
        return None
    if path in (STANDARD, ""):
        raise expected("a folder for files of cases", **{option: path})
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"{option}={one_line(path)} ({error.strerror})"
        raise OutputError(f"Expected a folder for files of cases but got {said}") from None
    return Path(path)


def _meets(case: "Case", pattern: str) -> bool:
    """Whether a pattern names a case: its name, its section, or a pattern of either."""
    section = case.name.partition("[")[0]
    return pattern in (case.name, section, section.partition("/")[0]) or fnmatchcase(case.name, pattern)


def _outcomes(
    whole: "Suite",
    cases: Sequence["Case"],
    options: SuiteOptions,
    to: dict[str, Place],
    interrupts: Interrupts,
    on_screen: bool,
) -> list["CaseOutcome"]:
    """What becomes of the cases, each in the growing record and on a line as it finishes; then in their order."""
    from dpcert.audit.suites import journal
    from dpcert.audit.suites.case import cases_in_words

    interrupts.working = False  # an interrupt is asked about, and breaks off nothing here
    seconds = min((s for s in (options.max_seconds, whole.max_seconds) if s is not None), default=None)
    whole_count = cases_in_words(len(cases))
    order = {case.name: number for number, case in enumerate(cases)}
    outcomes_so_far: list[CaseOutcome] = []
    record = to.get("json")
    if record is not None:
        record.write(journal.heading(whole))
    with progress_line(options.quiet) as progress:
        progress(f"0 of {whole_count}")
        for one in map(_at_commit, _decided(cases, options, seconds, lambda: interrupts.count > 0)):
            outcomes_so_far.append(one)
            if record is not None:
                record.add(journal.line(one))
            if on_screen:
                shown(_line_of(one, len(outcomes_so_far), len(cases)))
            progress(f"{len(outcomes_so_far)} of {whole_count}")
    return sorted(outcomes_so_far, key=lambda one: order[one.case.name])


def _decided(
    cases: Sequence["Case"], options: SuiteOptions, seconds: int | None, interrupted: Callable[[], bool]
) -> Iterator["CaseOutcome"]:
    """What becomes of the cases, as they come to their ends, here or on workers."""
    if options.scheduler is None:
        from dpcert.audit.suites.running import outcomes

        return outcomes(cases, options.jobs, seconds, interrupted)
    from dpcert.audit.suites.spreading import spread

    return spread(cases, options.scheduler, seconds, interrupted)


def _at_commit(one: "CaseOutcome") -> "CaseOutcome":
    """The outcome with the commit of its target in its record."""
    from dataclasses import replace

    from dpcert.audit.records.beside import with_commit

    return one if one.document is None else replace(one, document=with_commit(one.document, one.case.place))


def _line_of(one: "CaseOutcome", number: int, count: int) -> Callable[[], None]:
    width = len(str(count))
    return lambda: click.echo(
        f"[{number:{width}}/{count}] {one.result:9} {one.case.name} ({one.seconds} s{', kept' if one.kept else ''})"
    )


def _report(for_tools: Exchange, whole: "Suite", changes: Sequence[Any], options: SuiteOptions) -> None:
    """What they come to, on standard output."""
    from dpcert.audit.exchange.summary import summary

    click.echo(summary(for_tools.cases, for_tools.losses, changes, whole.idle), nl=False)
    for one in for_tools.cases:
        if one.outcome.uncertified:
            click.echo(f"no certificate: {one.outcome.case.name}: {one_line(one.outcome.uncertified)}")
    if options.annotations:
        click.echo(for_tools.annotations(), nl=False)


def _write(
    for_tools: Exchange,
    outcomes: Sequence["CaseOutcome"],
    whole: "Suite",
    lines: Any,
    options: SuiteOptions,
    to: dict[str, Place],
) -> None:
    """Every file that was named; what can be written is, before it is said what cannot."""
    from dpcert.audit.commands.pages import write_index
    from dpcert.audit.suites import baseline, journal

    outputs = for_tools.outputs(to)
    if (record := to.get("json")) is not None and record.file is not None:
        outputs.append((record, lambda: journal.whole(whole, outcomes)))
    if (index := to.get("html")) is not None:
        spent = sum(one.milliseconds for one in outcomes)
        outputs.append(
            (index, lambda: write_index(for_tools.cases, for_tools.losses, index, options.file, options.page, spent))
        )
    if (kept := to.get("baseline")) is not None:
        outputs.append((kept, lambda: baseline.written(lines)))
    write_all(outputs)
