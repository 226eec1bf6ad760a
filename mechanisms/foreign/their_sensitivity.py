"""What the library that an object is of makes of its sensitivity, beside which ours is shown."""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from dpcert.audit.kernels.border import has
from dpcert.mechanisms.matrices.participations import AdjacentBins, EpochOrder, Once, Participation, Separated
from dpcert.mechanisms.matrix_audit.audited import PeerSensitivity

JAX_PRIVACY = "jax_privacy"
Theirs = Callable[[Participation], PeerSensitivity | None]
"""Their number for participations; None where they have none."""


def unknown(_participation: Participation) -> None:
    """No library, no number."""


def of_library(matrix: Any, rounds: int) -> Theirs:
    """That of jax-privacy for an object of its own of so many rounds; anything that it refuses has no number.

    Args:
        matrix: The object, which stands for C.
        rounds: T.
    """
    if not type(matrix).__module__.startswith(f"{JAX_PRIVACY}."):
        return unknown

    def theirs(participation: Participation) -> PeerSensitivity | None:
        with suppress(Exception):  # its own checks and versions: without a number of theirs, ours stands alone
            return _asked(matrix, rounds, participation)
        return None

    return theirs


def _asked(matrix: Any, rounds: int, participation: Participation) -> PeerSensitivity | None:
    its = import_module(f"{JAX_PRIVACY}.matrix_factorization")
    if isinstance(participation, AdjacentBins):
        return None
    if has(matrix, "params") and not isinstance(participation, EpochOrder):
        apart, most = _separation(participation)
        squared = its.banded.minsep_sensitivity_squared(matrix, apart, most, skip_checks=False)
        return _named(float(squared) ** 0.5, "banded.minsep_sensitivity_squared")
    whole = matrix.materialize() if has(matrix, "params") else matrix.materialize(rounds)
    if isinstance(participation, Once):
        return _named(its.sensitivity.single_participation_sensitivity(whole), "single_participation_sensitivity")
    if isinstance(participation, EpochOrder):
        found = its.sensitivity.fixed_epoch_sensitivity(whole, participation.epochs)
        fits = participation.epochs * participation.rounds_an_epoch == rounds
        return _named(found, "fixed_epoch_sensitivity") if fits else None
    apart, most = _separation(participation)
    return _named(
        its.sensitivity.get_min_sep_sensitivity_upper_bound(whole, apart, most), "get_min_sep_sensitivity_upper_bound"
    )


def _separation(participation: Participation) -> tuple[int, int]:
    if isinstance(participation, Separated):
        return participation.min_separation, participation.max_participations
    return 1, 1


def _named(value: Any, function: str) -> PeerSensitivity | None:
    number = float(np.asarray(value))
    return PeerSensitivity(Fraction(number), f"jax-privacy, {function}") if np.isfinite(number) else None
