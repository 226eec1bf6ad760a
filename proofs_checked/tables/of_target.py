"""The tables of a mechanism that somebody names: audited once, each table in each format as soon as it is made."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from dpcert.audit.budget import Budget
from dpcert.audit.commands.arguments import assigned
from dpcert.audit.commands.interrupts import Interrupts
from dpcert.audit.commands.output import foreign_prints_on_stderr, progress_line
from dpcert.audit.defaults import DEFAULT_EXP_EPSILONS
from dpcert.audit.examine import examination
from dpcert.audit.kernels import targets
from dpcert.audit.tables.audit_tables import AuditTables
from dpcert.audit.tables.formats import FORMATS, label_of
from dpcert.audit.tables.left_out import MOST_TABLE_POSITIONS, LeftOut

SUFFIXES = (*FORMATS, "pdf")
"""Formats that a mechanism's tables and figures come in."""


@dataclass(frozen=True)
class AskedTables:
    """A target, where its tables go, and the options of its audit."""

    target: str
    folder: str | None = None
    checking: bool = False
    suffixes: tuple[str, ...] | None = None
    horizon: int | None = None
    adjacency: str | None = None
    hops: int | None = None
    challenge_round: int | None = None
    params: tuple[tuple[str, str], ...] = ()
    exp_epsilons: tuple[Fraction, ...] = ()
    max_positions: int | None = None
    max_seconds: int | None = None

    @property
    def formats(self) -> tuple[str, ...]:
        """Those that are written, or the one that is printed."""
        return ("md",) if self.folder is None else self.suffixes or SUFFIXES


@dataclass
class TargetTables:
    """The tables of an audit, and what is left out of them, as far as they have been made."""

    question: AskedTables
    tables: AuditTables
    missing: list[str] = field(default_factory=list)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(file name, content), one after the other."""
        unknown, doubt = self.tables.unknown, self.tables.doubt
        if unknown:
            self.missing.append(f"all, for nothing is known of the mechanism as such: {unknown}")
            return
        if doubt:
            self.missing.append(f"nothing, but they are of the laws as they were answered: {doubt}")
        suffixes = [suffix for suffix in self.question.formats if suffix in FORMATS]
        for table in self.tables.tables() if suffixes else ():
            if isinstance(table, LeftOut):
                self.missing.append(str(table))
                continue
            for suffix in suffixes:
                label = label_of(self.question.target, table.name)
                yield f"{table.name}.{suffix}", FORMATS[suffix](table, label).encode()
        if "pdf" in self.question.formats:
            from dpcert.audit.render.pdf import FIGURES, figure_pdf  # here, for only figures need what draws them

            for name in FIGURES:
                yield f"{name}.pdf", figure_pdf(name, self.tables.examination.record.document)


def made(options: AskedTables, interrupts: Interrupts) -> TargetTables:
    """The audit of a target, from which its tables are read.

    Raises: DpcertError: a target, a mechanism or a scope that cannot be used.
    """
    parameters = assigned(options.params)
    with progress_line(False) as progress, foreign_prints_on_stderr():
        subject = targets.find(options.target, parameters)
        audit = examination(
            subject.mechanism,
            horizon=options.horizon,
            adjacency=targets.relation(options.adjacency),
            hops=options.hops or 1,
            challenge_round=options.challenge_round,
            exp_epsilons=options.exp_epsilons or DEFAULT_EXP_EPSILONS,
            epsilons=(),
            deltas=(),
            budget=Budget(options.max_positions or MOST_TABLE_POSITIONS, options.max_seconds, progress),
            target=subject.name,
            parameters=subject.parameters,
            spelled=parameters,
        )
        interrupts.working = False
    return TargetTables(options, AuditTables(audit))
