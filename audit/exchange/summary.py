"""What cases come to together, for a terminal: a table, what is not as it should be, and what changed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpcert.audit.errors import one_line
from dpcert.audit.exchange.checks import Check, CheckedCase
from dpcert.audit.exchange.index import counted
from dpcert.audit.exchange.markdown import facts
from dpcert.audit.suites.baseline import Change
from dpcert.audit.suites.findings import Key

MOST_LINES = 200
"""Changes of a baseline that are listed one by one."""


def summary(
    cases: Sequence[CheckedCase], absent: Sequence[Check], changes: Sequence[Change], idle: Sequence[str] = ()
) -> str:
    """The table, each failure with its witness, changes of the baseline for the better, and a last line that counts."""
    lines = ["", *_table(cases), ""]
    for one in cases:
        lines += _failures(one)
    lines += [f"baseline: {check.detail}" for check in absent]
    better = _better(changes)
    if better:
        lines += ["New or better than the baseline:", *better[:MOST_LINES]]
        lines += [f"  and {len(better) - MOST_LINES} more"] if len(better) > MOST_LINES else []
    lines += [f"No mechanism was found in {one_line(file)}." for file in idle]
    return "\n".join([*lines, counted(cases, absent)]) + "\n"


def _better(changes: Sequence[Change]) -> list[str]:
    """What is better than it was, a line each, and what is new, a line a case."""
    new = Counter(replace(one.key, finding="") for one in changes if not one.before)
    lines = [f"  {_named(key)}: {count} new findings" for key, count in sorted(new.items())]
    return lines + [f"  {_named(one.key)}: {one.in_words}" for one in changes if one.before and not one.worse]


def _named(key: Key) -> str:
    return one_line(" ".join(part for part in (key.target, key.parameters, key.scope) if part != "-"), 160)


def _table(cases: Sequence[CheckedCase]) -> Iterator[str]:
    rows = [("result", "case", "badge", "certified", "epsilon at delta", "seconds")]
    for one in cases:
        seconds = one.outcome.seconds
        rows.append((one.worst.value, one.outcome.case.name, *facts(one), seconds))  # type: ignore[arg-type]  # three
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _failures(one: CheckedCase) -> list[str]:
    """What is not as it should be in one case."""
    lines = []
    for check in one.checks:
        if check.bad:
            lines.append(f"{one.outcome.case.name}: {check.name}: {one_line(check.detail, 1_000)}")
            lines += [f"    {line}" for line in check.witness]
    if lines and one.place is not None:
        lines.append(f"    at {one.place.file}:{one.place.line}")
    return lines
