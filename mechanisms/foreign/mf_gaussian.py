"""A matrix mechanism with its noise and participations, as opake-dpftrl has it: its `MfGaussian`, object or JSON.

Coefficients are read where they are stated, or where the object itself gives them. A recipe, which names an optimiser
or a closed form by its parameters, is not followed: what runs is what it comes to on the machine that runs it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.kernels.border import answering, has
from dpcert.mechanisms.foreign.objects import floats_of, fractions_of
from dpcert.mechanisms.foreign.undecided import UndecidedError
from dpcert.mechanisms.matrices.arrays import as_floats
from dpcert.mechanisms.matrices.buffered import Buffers
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.json_tables import json_table
from dpcert.mechanisms.matrices.participations import Once, Participation, Separated
from dpcert.mechanisms.matrices.toeplitz import MOST_COEFFICIENTS, inverse_toeplitz, toeplitz

MF_GAUSSIAN = "MfGaussian"
STATED = ("coefficients", "inv_coefficients", "buf_decay")
"""Keys of a strategy that state its matrix."""
AMPLIFIED = "inner"
"""What an amplified or sampled process holds the mechanism in."""


@dataclass(frozen=True)
class MfGaussian:
    """R x + z with the noise and the participations that it names.

    Args:
        encoder: R.
        noise_multiplier: The deviation of z over the norm that records are clipped to.
        participation: In which rounds one person's records may stand.
        theirs: The sensitivity that the library itself gives, where an object was asked.
    """

    encoder: Encoder
    noise_multiplier: Fraction
    participation: Participation
    theirs: Fraction | None = None


def in_file(path: str) -> "MfGaussian | None":
    """The mechanism that a JSON file of opake holds; None where it holds something else.

    Raises: ArgumentError: a mechanism whose strategy is a recipe, or that leaves its rounds open.
        UndecidedError: an amplified one.
    """
    if Path(path).suffix != ".json":
        return None
    table = json_table(path)
    kind = table.get("type") if isinstance(table, Mapping) else None
    if kind is None:
        return None
    if kind != MF_GAUSSIAN:
        if isinstance(table.get(AMPLIFIED), Mapping):
            raise UndecidedError(_amplified(str(kind)))
        raise ArgumentError(f"Expected a strategy, or an {MF_GAUSSIAN} of opake, but got type={one_line(str(kind))}")
    strategy = table.get("strategy")
    if not isinstance(strategy, Mapping):
        raise expected("a table", strategy=strategy)
    rounds = _rounds(table.get("n_steps"))
    encoder = _stated(strategy, rounds)
    return MfGaussian(encoder, _multiplier(table.get("noise_multiplier")), _pattern(table, rounds))


def of_object(mechanism: Any) -> "MfGaussian | None":
    """The same of an object, whose coefficients are asked for; None where it is something else.

    Raises: ArgumentError, UndecidedError: as for a file. MechanismError: what its own code raises.
    """
    if not (has(mechanism, "noise_multiplier") and has(mechanism, "strategy")):
        if has(mechanism, AMPLIFIED):
            raise UndecidedError(_amplified(type(mechanism).__name__))
        return None
    table = {key: getattr(mechanism, key, None) for key in ("n_steps", "min_sep", "max_participations")}
    rounds, strategy = _rounds(table["n_steps"]), mechanism.strategy
    name = one_line(type(strategy).__name__, 60)
    if getattr(strategy, "normalized", False):
        raise expected("a strategy whose coefficients are those of its matrix", **{name: "normalized=True"})
    participation = {"min_sep": table["min_sep"] or 1, "max_participations": table["max_participations"] or rounds}
    with answering(f"{name}.coefficients"):
        coefficients = strategy.coefficients(n_steps=rounds, **participation)
    with answering(f"{name}.sensitivity"):
        theirs = Fraction(strategy.sensitivity(n_steps=rounds, **participation))
    encoder = _padded(floats_of(coefficients, f"{name}.coefficients"), rounds)
    return MfGaussian(encoder, _multiplier(mechanism.noise_multiplier), _pattern(table, rounds), theirs)


def _amplified(kind: str) -> str:
    return f"{one_line(kind, 60)} is sampled or amplified, and is not accounted for here"


def _stated(strategy: Mapping[str, Any], rounds: int) -> Encoder:
    """The matrix that a strategy states. Raises: ArgumentError: it is a recipe."""
    kind = one_line(str(strategy.get("type")), 60)
    if strategy.get("normalized") and strategy.get("coefficients") is None:
        raise expected("coefficients of the matrix itself", **{kind: "normalized=true"})
    if strategy.get("coefficients") is not None:
        return _padded(_numbers(strategy, "coefficients"), rounds)
    if strategy.get("inv_coefficients") is not None:
        inverse = _numbers(strategy, "inv_coefficients")[:rounds]
        return inverse_toeplitz(np.concatenate([inverse, np.zeros(rounds - len(inverse))]))
    if strategy.get("buf_decay") is not None:
        decay, scale = (fractions_of(_numbers(strategy, key)) for key in ("buf_decay", "output_scale"))
        return Buffers(decay, scale).encoder(rounds)
    if kind == "IdentityStrategy":
        return _padded(np.ones(1), rounds)
    given = ", ".join(one_line(str(key), 30) for key in strategy if key != "type") or "nothing"
    raise ArgumentError(
        f"Expected a strategy with its {' or '.join(STATED)} but got {kind}, a recipe ({given}): name the object "
        "instead, as FILE.py:NAME, or write down its coefficients"
    )


def _numbers(strategy: Mapping[str, Any], key: str) -> Any:
    listed = strategy.get(key)
    if not isinstance(listed, list) or not all(type(x) in (int, float) for x in listed):
        raise expected("a list of numbers", **{key: listed})
    return as_floats(np.array(listed, dtype=np.float64), key)


def _padded(coefficients: Any, rounds: int) -> Encoder:
    """Toeplitz, 0 past the last coefficient."""
    if coefficients.ndim != 1 or not len(coefficients):
        raise expected("coefficients in one dimension", coefficients=f"an array of shape {coefficients.shape}")
    kept = coefficients[:rounds]
    return toeplitz(np.concatenate([kept, np.zeros(rounds - len(kept))]))


def _rounds(value: object) -> int:
    if value is None:
        raise ArgumentError(f"Expected n_steps of an {MF_GAUSSIAN} but got none: its rounds are open")
    if type(value) is not int or not 1 <= value <= MOST_COEFFICIENTS:
        raise expected(f"a whole number of rounds from 1 to {MOST_COEFFICIENTS}", n_steps=value)
    return value


def _multiplier(value: object) -> Fraction:
    if not isinstance(value, (int, float)) or not np.isfinite(value) or value <= 0:
        raise expected("a noise multiplier above 0", noise_multiplier=value)
    return Fraction(value)


def _pattern(table: Mapping[str, Any], rounds: int) -> Participation:
    """As many participations as fit, where no number is given."""
    apart = table.get("min_sep")
    apart, most = 1 if apart is None else apart, table.get("max_participations")
    for name, value in (("min_sep", apart), ("max_participations", most)):
        if value is not None and (type(value) is not int or value < 1):
            raise expected("a whole number of at least 1", **{name: value})
    fitting = -(-rounds // apart)
    count = fitting if most is None else min(most, fitting)
    return Once() if count == 1 else Separated(count, apart)
