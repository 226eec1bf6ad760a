"""YAML in blocks, as far as an entry of a registry needs it: every text quoted, and so read as a text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpcert.audit.frozen import frozen

_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


@frozen
class YamlNumber:
    """A number as it is to be read: a decimal with a point, its exponent signed.

    >>> YamlNumber.of("1e-8"), YamlNumber.of("0.25"), YamlNumber.of("3")
    (YamlNumber(text='1.0e-8'), YamlNumber(text='0.25'), YamlNumber(text='3.0'))
    """

    text: str

    @classmethod
    def of(cls, decimal: str) -> "YamlNumber":
        """The number that a decimal says, in a form that YAML 1.1 and 1.2 both read as one."""
        digits, e, exponent = decimal.partition("e")
        digits = digits if "." in digits else f"{digits}.0"
        return cls(f"{digits}e{'' if exponent.startswith('-') else '+'}{exponent.lstrip('+')}" if e else digits)


@frozen
class Unsure:
    """A value that a person has to look at, with a word to them in a comment."""

    value: Any
    note: str


@frozen
class ToFill:
    """A key without a value, as a comment that says what would stand there."""

    note: str


def block(table: Mapping[str, Any]) -> str:
    """The table as YAML.

    Args:
        table: Keys of ours, in order; values are texts, whole numbers, YamlNumber, tables and lists of these, each
            perhaps Unsure, or ToFill.

    >>> print(block({"a": "x: #1", "b": [{"c": 1}], "d": ToFill("unknown")}), end="")
    a: "x: #1"
    b:
      - c: 1
    # d: unknown
    """
    return "".join(f"{line}\n" for line in _lines(table))


def quoted(text: str) -> str:
    """A text in double quotes, all that cannot be printed escaped.

    >>> quoted("a" + chr(27) + chr(0x2028))
    '"a\\\\x1b\\\\u2028"'
    """
    return f'"{"".join(_SHORT.get(c) or (c if c.isprintable() else _escaped(ord(c))) for c in text)}"'


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, ToFill):
            yield f"# {key}: {value.note}"
            continue
        comment, inner = (f"  # {value.note}", value.value) if isinstance(value, Unsure) else ("", value)
        if isinstance(inner, str | int | YamlNumber):
            yield f"{key}: {_scalar(inner)}{comment}"
        else:
            yield f"{key}:{comment}"
            yield from (f"  {line}" for line in (_items(inner) if isinstance(inner, Sequence) else _lines(inner)))


def _items(values: Sequence[Any]) -> Iterator[str]:
    for one in values:
        lines = _lines(one) if isinstance(one, Mapping) else iter([_scalar(one)])
        yield from (f"{'  ' if place else '- '}{line}" for place, line in enumerate(lines))


def _scalar(value: str | int | YamlNumber) -> str:
    return quoted(value) if isinstance(value, str) else value.text if isinstance(value, YamlNumber) else str(value)
