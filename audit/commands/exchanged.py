"""Options and files of `dpcert audit` that other tools read: JUnit, SARIF, Markdown, annotations, baselines."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dpcert.audit.commands.output import Place
from dpcert.audit.errors import ArgumentError
from dpcert.audit.frozen import frozen

if TYPE_CHECKING:
    from dpcert.audit.exchange.checks import Check, CheckedCase
    from dpcert.audit.suites.baseline import Change
    from dpcert.audit.suites.case import Case
    from dpcert.audit.suites.findings import Key
    from dpcert.audit.suites.outcome import CaseOutcome

F = TypeVar("F", bound=Callable[..., Any])
FILES = ("junit", "sarif", "markdown")
"""Options that name a file for another tool."""

_OPTIONS = (
    click.option("--junit", metavar="FILE", help="Write JUnit XML, a test case a check; - is standard output."),
    click.option(
        "--junit-style",
        type=click.Choice(("places", "strict")),
        default="places",
        show_default=True,
        help="strict: as pytest's schema has it, without file and line.",
    ),
    click.option("--sarif", metavar="FILE", help="Write SARIF 2.1.0 for code scanning; - is standard output."),
    click.option("--markdown", metavar="FILE", help="Write a summary, as for $GITHUB_STEP_SUMMARY."),
    click.option("--annotations", type=click.Choice(("github",)), help="Print a line a failed check for the runner."),
    click.option("--baseline", metavar="FILE", help="What may not get worse, as dpcert.lock has it."),
    click.option("--update-baseline", is_flag=True, help="Write what is new or better there; never what is worse."),
    click.option(
        "--accept",
        multiple=True,
        metavar="CASE",
        help="With --update-baseline: a case, or a pattern of them, that may get worse; repeatable.",
    ),
    click.option("--exit-zero", is_flag=True, help="End with 0 whatever is found, for a job that uploads it."),
)


def exchanging(command: F) -> F:
    """The command with these options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@frozen
class AgainstBaseline:
    """What was found against a baseline.

    Attributes:
        worse: What got worse, and nobody accepted.
        changes: All that changed.
        update: The baseline as it is to be kept.
    """

    worse: tuple["Change", ...] = ()
    changes: tuple["Change", ...] = ()
    update: Mapping["Key", str] = field(default_factory=dict)


@frozen
class Baseline:
    """The baseline that a command names, if it names one; read before the work.

    Attributes:
        path: The file.
        update: Whether it is to be written.
        accept: Patterns of cases that may get worse.
        lines: What it holds.
    """

    path: str | None = None
    update: bool = False
    accept: tuple[str, ...] = ()
    lines: Mapping["Key", str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | None, update: bool, accept: tuple[str, ...]) -> "Baseline":
        """The baseline in a file; empty where it is to be made.

        Raises: ArgumentError: no baseline, or options that need one.
        """
        if path is None:
            if update or accept:
                raise ArgumentError("Expected --baseline FILE with --update-baseline and --accept but got none")
            return cls()
        if accept and not update:
            raise ArgumentError("Expected --update-baseline with --accept but got none")
        from dpcert.audit.suites.baseline import load

        return cls(path, update, accept, load(path, "--update-baseline", new=update))

    def compared(self, outcomes: Sequence["CaseOutcome"], there: Collection["Case"] | None) -> AgainstBaseline:
        """What was found against it; `there` are all cases of the suite, None where no more is known than ran."""
        if self.path is None:
            return AgainstBaseline()
        from dpcert.audit.suites.baseline import changes, together, updated, worse
        from dpcert.audit.suites.findings import findings, key

        now = together(findings(one) for one in outcomes)
        decided = {key(one.case) for one in outcomes if one.document is not None}
        known = self._cases() if there is None else {key(case) for case in there}
        changed = changes(self.lines, now, decided, known | decided)
        accepted = {key(one.case) for one in outcomes if self._accepts(one.case.name)}
        accepted |= {k for k in self._cases() - known if self._accepts(k.target)}
        return AgainstBaseline(tuple(worse(changed, accepted)), tuple(changed), updated(self.lines, changed, accepted))

    def _accepts(self, name: str) -> bool:
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.accept)

    def _cases(self) -> set["Key"]:
        """The cases that it has lines of."""
        from dataclasses import replace

        return {replace(key, finding="") for key in self.lines}


@frozen
class Exchange:
    """What is written for other tools, of all cases."""

    cases: Sequence["CheckedCase"]
    losses: Sequence["Check"]
    suite: str | None
    style: str

    def outputs(self, places: Mapping[str, Place]) -> list[tuple[Place | None, Callable[[], str]]]:
        """Every place that was named, and what is written there."""
        return [(places.get(name), getattr(self, f"_{name}")) for name in FILES]

    def annotations(self) -> str:
        """Lines for the runner of GitHub."""
        from dpcert.audit.exchange.annotations import annotations

        return "".join(f"{line}\n" for line in annotations(self.cases, self.losses))

    def _junit(self) -> str:
        from dpcert.audit.exchange.junit import junit

        return junit(self.cases, self.losses, strict=self.style == "strict")

    def _sarif(self) -> str:
        from dpcert.audit.exchange.sarif import sarif

        return sarif(self.cases, self.losses, self.suite)

    def _markdown(self) -> str:
        from dpcert.audit.exchange.markdown import markdown

        return markdown(self.cases, self.losses)


def exchange(
    outcomes: Sequence["CaseOutcome"],
    comparison: AgainstBaseline,
    suite: str | None,
    style: str,
    cases: Collection["Case"],
) -> Exchange:
    """The checks of all cases; lines of the baseline whose case is gone stand beside them."""
    from dataclasses import replace

    from dpcert.audit.exchange.checks import checked, of_case, vanished
    from dpcert.audit.suites.findings import key

    known = {key(case) for case in cases}
    made = [checked(one, of_case(comparison.worse, one)) for one in outcomes]
    lost = [vanished(one) for one in comparison.worse if replace(one.key, finding="") not in known]
    return Exchange(made, lost, suite, style)
