"""Encoders by name and parameters, as in JSON: {"strategy": "binary-tree", "rounds": 8}."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.described_workloads import described_workload
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.json_tables import json_table
from dpcert.mechanisms.matrices.normalised import column_normalised
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.toeplitz import banded, inverse_toeplitz, toeplitz
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import NamedWorkload

SYNONYMS = {"buf_decay": "decay", "output_scale": "scale"}
"""What libraries call the parameters of a BLT, and what they are called here."""


@dataclass(frozen=True)
class EncoderClass:
    """A class of encoders: what makes one, of which parameters, and of which others that may be left out."""

    make: Callable[..., Encoder]
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


def _normalised(rounds: int, bandwidth: int) -> Encoder:
    return column_normalised(square_root(rounds, bandwidth))


def _toeplitz(coefficients: Floats, bandwidth: int | None = None) -> Encoder:
    encoder = toeplitz(coefficients)
    return encoder if bandwidth is None else banded(encoder, bandwidth)


def _buffered(decay: Floats, scale: Floats, rounds: int) -> Encoder:
    return Buffers(_fractions(decay), _fractions(scale)).encoder(rounds)


def _fractions(numbers: Floats) -> tuple[Fraction, ...]:
    return tuple(Fraction(x) for x in numbers.tolist())


STRATEGIES = {
    "binary-tree": EncoderClass(TreeEncoder, ("rounds",)),
    "tree": EncoderClass(TreeEncoder, ("rounds", "arity")),
    "square-root": EncoderClass(square_root, ("rounds",), ("bandwidth",)),
    "column-normalised": EncoderClass(_normalised, ("rounds", "bandwidth")),
    "toeplitz": EncoderClass(_toeplitz, ("coefficients",), ("bandwidth",)),
    "inverse-toeplitz": EncoderClass(inverse_toeplitz, ("coefficients",)),
    "buffered": EncoderClass(_buffered, ("decay", "scale", "rounds")),
}
"""Name -> class."""
LISTS = {"coefficients", "decay", "scale"}


class Description(NamedTuple):
    """What a description says: R, and M where it names one."""

    encoder: Encoder
    workload: NamedWorkload | None


def read_strategy(path: str, rounds: int | None = None) -> Description:
    """The encoder that a JSON file describes, and its workload.

    Args:
        path: The file: a strategy, or the decays and scales of a BLT alone.
        rounds: T, where the description leaves it to its user.
    Raises: ArgumentError: no such file, no JSON, or a description that `strategy` refuses.
    """
    return described(json_table(path), rounds)


def strategy(said: object, rounds: int | None = None) -> Encoder:
    """The encoder that a description names: that of `described`."""
    return described(said, rounds).encoder


def described(said: object, rounds: int | None = None) -> Description:
    """The encoder that a description names, and its workload.

    Args:
        said: A table with the name under `strategy`, and the parameters of its class; numbers stand for float64. Under
            `workload` may stand what is published.
        rounds: T, where the description leaves it to its user.
    Raises: ArgumentError: an unknown name, with the nearest that is known; a parameter that is missing, unknown or no
        number of its kind.

    >>> described({"strategy": "binary-tree", "rounds": 8, "workload": "window=2"}).workload.window
    2
    """
    if not isinstance(said, dict):
        raise expected("a table with a strategy and its parameters", strategy=said)
    table = {SYNONYMS.get(str(key), str(key)): value for key, value in said.items()}
    workload = described_workload(table.pop("workload")) if "workload" in table else None
    name = table.pop("strategy", "buffered" if {"decay", "scale"} <= set(table) else None)
    kind = _named(name)
    keys = (*kind.needed, *kind.optional)
    if rounds is not None and "rounds" in keys and table.setdefault("rounds", rounds) != rounds:
        raise expected(f"a description of {rounds} rounds", rounds=table["rounds"])
    for key in table:
        if key not in keys:
            raise expected(f"parameters of {name} ({', '.join(keys)})", parameter=key)
    if missing := [key for key in kind.needed if key not in table]:
        raise ArgumentError(f"Expected a parameter {missing[0]} of the strategy {name} but got none")
    made = kind.make(**{key: _list(key, x) if key in LISTS else _count(key, x) for key, x in table.items()})
    return Description(made, workload)


def _named(name: object) -> EncoderClass:
    if isinstance(name, str) and name in STRATEGIES:
        return STRATEGIES[name]
    close = get_close_matches(name, STRATEGIES, n=1) if isinstance(name, str) else []
    hint = f"; did you mean {close[0]}?" if close else ""
    told = one_line(name, 60) if isinstance(name, str) else "none"
    raise ArgumentError(f"Expected a strategy among {', '.join(STRATEGIES)} but got {told}{hint}")


def _count(key: str, value: object) -> int:
    if type(value) is not int:
        raise expected("a whole number", **{key: value})
    return value


def _list(key: str, value: object) -> Floats:
    """Numbers of a list as float64."""
    if not isinstance(value, list) or not value:
        raise expected("a list of numbers", **{key: value})
    for x in value:
        if type(x) not in (int, float):
            raise expected("a list of numbers", **{key: x})
    try:
        return np.array(value, dtype=np.float64)
    except OverflowError:
        raise expected("numbers within the range of float64", **{key: "a larger one"}) from None
