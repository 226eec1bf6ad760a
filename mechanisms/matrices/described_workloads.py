"""Workloads as JSON describes them: {"momentum": 0.9, "rates": [1, 0.5]}; numbers are the decimals that are written."""

from fractions import Fraction
from pathlib import Path

from dpcert.audit.algebra.rational import integer_text, text
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.mechanisms.matrices.json_tables import json_table
from dpcert.mechanisms.matrices.workloads import (
    MOST_WORKLOAD_ROUNDS,
    NamedWorkload,
    checked_momentum,
    checked_window,
    named_workload,
)

WORKLOAD_KEYS = ("momentum", "window", "rates")
"""What a description of a workload may have."""


def workload_of(name: str) -> NamedWorkload:
    """The workload of a name, `prefix`, `momentum=B` or `window=W`, or of a `.json` file that describes one.

    Raises: ArgumentError: another name, no such file, or a description that `described_workload` refuses.
    """
    if Path(name).suffix != ".json":
        return named_workload(name)
    table = json_table(name)
    return described_workload(table["workload"] if isinstance(table, dict) and "workload" in table else table)


def described_workload(said: object) -> NamedWorkload:
    """The workload that a description names: a name, or a table of momentum, window and learning rates.

    Raises: ArgumentError: something else, an unknown key, or a number out of its range.

    >>> described_workload({"rates": [1, 0.1]}).rates
    (Fraction(1, 1), Fraction(1, 10))
    """
    if isinstance(said, str):
        return named_workload(said)
    if not isinstance(said, dict) or not said:
        raise expected("a workload by name, or a table of momentum, window or rates", workload=said)
    for key in said:
        if key not in WORKLOAD_KEYS:
            raise expected(f"parameters of a workload ({', '.join(WORKLOAD_KEYS)})", parameter=key)
    momentum = checked_momentum(_number(said.get("momentum", 0)))
    window = checked_window(_number(said["window"])) if "window" in said else None
    rates = _rates(said["rates"]) if "rates" in said else ()
    return NamedWorkload(_text(momentum, window, rates), momentum, window, rates)


def _rates(said: object) -> tuple[Fraction, ...]:
    if not isinstance(said, list) or not 1 <= len(said) <= MOST_WORKLOAD_ROUNDS:
        raise expected(f"a list of 1 to {MOST_WORKLOAD_ROUNDS} rates", rates=said)
    return tuple(map(_number, said))


def _number(said: object) -> Fraction:
    """The decimal that was written. Raises: ArgumentError: no number."""
    if type(said) is int:
        return Fraction(said)
    if type(said) is not float:
        raise expected("a number of a workload", workload=one_line(repr(said), 60))
    try:
        return Fraction(repr(said))
    except (ValueError, OverflowError):
        raise ArgumentError("Expected finite numbers of a workload but got another") from None


def _text(momentum: Fraction, window: int | None, rates: tuple[Fraction, ...]) -> str:
    """The workload in words, on one line."""
    parts = [f"momentum={text(momentum)}"] * (momentum > 0)
    parts += [] if window is None else [f"window={integer_text(window)}"]
    return " ".join([*parts, *([f"{len(rates)} learning rates"] if rates else [])]) or "prefix"
