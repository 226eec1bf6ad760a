"""The baseline of a suite: what was found when somebody last looked, a line a finding, sorted, with exact values.

It gets better by itself where that is asked for, and worse only where somebody names the case.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dpcert.audit.algebra.decimals import equated
from dpcert.audit.algebra.rational import parse, text
from dpcert.audit.errors import ArgumentError, one_line
from dpcert.audit.frozen import frozen
from dpcert.audit.suites.findings import AT, AT_MOST, CERTIFIED, DELTA, KERNEL, ROUNDS, Key

HEADING = "# dpcert baseline 1: target, parameters, scope, finding, value; sorted, one line each, between tabs"
RUNGS = ("no", "CONTEXT_DOMINATED", "FUTURE_STABLE", "CONTEXT_STABLE", "VECTOR", "SCALAR")
"""How a mechanism is certified, the strongest last."""
INFINITE = "infinite"
VERDICTS = ("REFUTED", "UNDECIDED", "HOLDS")

Lines = Mapping[Key, str]


@frozen
class Change:
    """A finding that is not what it was.

    Attributes:
        key: What it is about.
        before: Its value in the baseline; empty where it is new.
        after: Its value now; empty where there is none any more.
    """

    key: Key
    before: str
    after: str

    @property
    def worse(self) -> bool:
        """Whether more is lost than before, less is shown, or the mechanism is another one."""
        return _worse(self.key.finding, self.before, self.after)

    @property
    def moved(self) -> str:
        """From what to what."""
        if not self.before:
            return f"new, {_shown(self.after)}"
        if not self.after:
            return f"was {_shown(self.before)}, is not found any more"
        return f"from {_shown(self.before)} to {_shown(self.after)}"

    @property
    def in_words(self) -> str:
        """What went from what to what."""
        return f"{self.key.finding}: {self.moved}"

    @property
    def exp_epsilon(self) -> str | None:
        """The e^eps of a delta."""
        _, at, exp_epsilon = self.key.finding.partition(AT)
        return exp_epsilon if at and self.key.finding.startswith(DELTA) else None


def load(path: str, option: str, *, new: bool) -> dict[Key, str]:
    """The lines of the baseline in a file; none where it may be new, and is.

    Args:
        path: The file.
        option: The option that makes one, for whoever has none.
        new: Whether it may be new.
    Raises: ArgumentError: no file, no baseline, or one that cannot be read.
    """
    try:
        return read(Path(path).read_text(encoding="utf-8"), path)
    except FileNotFoundError:
        if new:
            return {}
        said = f"baseline={one_line(path)}, which is no file; {option} makes one"
        raise ArgumentError(f"Expected a baseline but got {said}") from None
    except OSError as error:
        why = error.strerror or type(error).__name__
    except UnicodeDecodeError:
        why = "no UTF-8"
    except ValueError as error:
        if isinstance(error, ArgumentError):
            raise
        why = "a name that no file can have"
    raise ArgumentError(f"Expected a readable baseline but got baseline={one_line(path)} ({why})")


def read(text_: str, name: str) -> dict[Key, str]:
    """The lines of a baseline.

    Raises: ArgumentError: a line that is none, or the same finding twice (two branches changed it: look at both).
    """
    values: dict[Key, str] = {}
    for number, line in enumerate(text_.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [_unescaped(field) for field in line.rstrip("\r").split("\t")]
        where = f"{one_line(name)}, line {number}"
        if len(fields) != 5 or not all(fields):
            raise ArgumentError(f"Expected five fields between tabs but got {where}: {one_line(line, 80)}")
        key, value = Key(*fields[:4]), fields[4]
        if not _is_value(key.finding, value):
            raise ArgumentError(f"Expected a value of {one_line(key.finding)} but got {where}: {one_line(value, 80)}")
        if key in values:
            raise ArgumentError(f"Expected one line a finding but got {where} twice: {one_line(line, 80)}")
        values[key] = value
    return values


def written(lines: Lines) -> str:
    """The baseline as it is kept."""
    rows = sorted("\t".join(map(_escaped, (k.target, k.parameters, k.scope, k.finding, v))) for k, v in lines.items())
    return "\n".join([HEADING, *rows]) + "\n"


def changes(before: Lines, now: Lines, outcomes: Collection[Key], there: Collection[Key]) -> list[Change]:
    """Every finding that is not what it was, sorted.

    Args:
        before: The baseline.
        now: What was found.
        outcomes: The cases that have a record now, as keys without a finding.
        there: All cases of the suite, whether they ran or not.
    """
    differences = [Change(key, before.get(key, ""), value) for key, value in now.items() if before.get(key) != value]
    for key, value in before.items():
        case = replace(key, finding="")
        if key not in now and (case in outcomes or case not in there):
            differences.append(Change(key, value, ""))
    return sorted(differences, key=lambda change: change.key)


def together(found: Iterable[Lines]) -> dict[Key, str]:
    """The findings of all cases; where two are about the same thing, the worse."""
    lines: dict[Key, str] = {}
    for one in found:
        for key, value in one.items():
            if key not in lines or _worse(key.finding, lines[key], value):
                lines[key] = value
    return lines


def updated(before: Lines, changed: Sequence[Change], accepted_cases: Collection[Key]) -> dict[Key, str]:
    """The baseline with what got better or is new, and with all that changed of the cases that are accepted."""
    lines = dict(before)
    for change in changed:
        if change.worse and replace(change.key, finding="") not in accepted_cases:
            continue
        if change.after:
            lines[change.key] = change.after
        else:
            lines.pop(change.key, None)
    return lines


def worse(changed: Sequence[Change], accepted: Collection[Key] = ()) -> Iterator[Change]:
    """What got worse, and nobody accepted."""
    return (one for one in changed if one.worse and replace(one.key, finding="") not in accepted)


def _worse(finding: str, before: str, after: str) -> bool:
    if not before:
        return False
    if not after:
        return True
    if finding == KERNEL:
        return before != after
    order = _order(finding)
    if order is not None:
        return order.index(after) < order.index(before)
    if finding == ROUNDS:
        return after != "inf" and (before == "inf" or int(after) < int(before))
    if INFINITE in (before, after):
        return after == INFINITE != before
    return parse(after, finding) > parse(before, finding)


def _order(finding: str) -> Sequence[str] | None:
    """The values of a finding, the worst first; None for numbers."""
    if finding == CERTIFIED:
        return RUNGS
    return None if finding in (KERNEL, ROUNDS) or finding.startswith((DELTA, AT_MOST)) else VERDICTS


def _is_value(finding: str, value: str) -> bool:
    order = _order(finding)
    if order is not None:
        return value in order
    if finding == KERNEL:
        return value.startswith("sha256:")
    try:
        if finding.startswith(AT_MOST):
            return value == INFINITE or parse(value, finding) >= 0
        return value == "inf" or int(value) > 0 if finding == ROUNDS else 0 <= parse(value, finding) <= 1
    except (ValueError, ArithmeticError):
        return False


def _shown(value: str) -> str:
    """A value to be read: short digests, a decimal beside a fraction."""
    if value.startswith("sha256:"):
        return value[:19]
    if "/" not in value:
        return value
    number = parse(value, "value")
    return f"{one_line(text(number), 60)} ({equated(number)})"


def _escaped(field: str) -> str:
    return json.dumps(field)[1:-1]


def _unescaped(field: str) -> str:
    """The field; empty where it is escaped in no such way."""
    try:
        found = json.loads(f'"{field}"')
    except ValueError:
        return ""
    return found if isinstance(found, str) else ""
