"""`dpcert doctor`: whether this installation works, a line a finding, never a traceback."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import factorial

import click

from dpcert.audit import entries
from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.commands.installation import (
    DoctorLine,
    Severity,
    modules_like_ours,
    optional_parts,
    other_dpcert,
    versions,
)
from dpcert.audit.errors import short
from dpcert.audit.examine import examine
from dpcert.audit.kernels import targets
from dpcert.audit.records.record import Record, read

Check = Callable[[], Iterable[DoctorLine]]


@click.command()
def doctor() -> int:
    """Say whether this installation works.

    Versions, optional parts, name collisions and a self-test, a line each: ok, note or fault.
    Exit status: 0 without a fault, 1 with one.
    """
    lines = [line for check in CHECKS for line in checked(check)]
    for line in lines:
        click.echo(str(line))
    return 1 if any(line.level is Severity.FAULT for line in lines) else 0


def checked(check: Check) -> list[DoctorLine]:
    """The lines of one check; whatever it raises is a fault, and what foreign code prints goes to standard error."""
    lines = []
    with contextlib.redirect_stdout(sys.stderr):
        try:
            for line in check():
                lines.append(line)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the report goes on, whatever is broken here
            lines.append(DoctorLine(Severity.FAULT, f"{check.__name__.replace('_', ' ')}: {_raised(error)}"))
    return lines


def installed_targets() -> Iterator[DoctorLine]:
    """Whether every target that is installed loads."""
    count, targets = 0, entries.built_in()
    for name, entry in targets.items():
        try:
            entry.load()
            count += 1
        except (Exception, SystemExit) as error:  # noqa: BLE001 - another package's target may fail in any way
            yield DoctorLine(Severity.FAULT, f"the target {name} ({entry.value}) does not load: {_raised(error)}")
    yield DoctorLine(Severity.OK, f"{count} of {len(targets)} installed targets load")


def _raised(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def self_test_of_the_solver() -> Iterator[DoctorLine]:
    """The two-round mechanism gives the paper's two numbers. Source: paper.tex, subsec:ind_decomp_counterexample."""
    record = _audited()
    fixed_stream, adaptive = (record[side]["total_variation"] for side in ("fixed_stream", "adaptive"))
    yield _decided(
        (fixed_stream, adaptive) == ("9/100", "991/10000"),
        "two-round: fixed streams reach 9/100, adaptive adversaries 991/10000",
        f"two-round: Expected 9/100 and 991/10000 but got fixed_stream={fixed_stream}, adaptive={adaptive}",
    )


def self_test_of_enclosures(terms: int = 40) -> Iterator[DoctorLine]:
    """The enclosure of e^1 covers [s, s + 1/(n n!)] with s = 1/0! + ... + 1/n!, and is narrow."""
    lower = sum((Fraction(1, factorial(k)) for k in range(terms + 1)), Fraction(0))
    upper = lower + Fraction(1, terms * factorial(terms))
    enclosure = exponential(Fraction(1))
    narrow = (
        enclosure.lower is not None
        and enclosure.upper is not None
        and enclosure.upper - enclosure.lower < Fraction(1, 10**30)
    )
    yield _decided(
        lower in enclosure and upper in enclosure and narrow,
        "e^1 lies in its enclosure",
        f"Expected a narrow enclosure of e^1 but got lower={short(enclosure.lower)}, upper={short(enclosure.upper)}",
    )


def self_test_of_records() -> Iterator[DoctorLine]:
    """A record reads back through its schema as it was."""
    record = _audited()
    again = read(record.to_json())
    yield _decided(again == record, "a record reads back through its schema", "a record reads back changed")


def self_test_of_pages() -> Iterator[DoctorLine]:
    """A page renders, and shows the number that it is about."""
    page = _audited().to_html()
    whole = "991/10000" in page and page.rstrip().endswith("</html>")
    yield _decided(whole, "a page renders", "a page renders without its numbers or its end")


def _audited() -> Record:
    return examine(targets.find("two-round", {}).mechanism, target="two-round")


def _decided(holds: bool, text: str, fault: str) -> DoctorLine:
    return DoctorLine(Severity.OK, text) if holds else DoctorLine(Severity.FAULT, fault)


CHECKS: tuple[Check, ...] = (
    versions,
    optional_parts,
    modules_like_ours,
    other_dpcert,
    installed_targets,
    self_test_of_the_solver,
    self_test_of_enclosures,
    self_test_of_records,
    self_test_of_pages,
)
