"""Where a matrix comes from: a file that a library exported, or an object of it in a Python file or a module."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from dpcert.audit.errors import expected, one_line
from dpcert.audit.kernels.targets import find
from dpcert.mechanisms.foreign import mf_gaussian
from dpcert.mechanisms.foreign.mf_gaussian import MfGaussian
from dpcert.mechanisms.foreign.objects import encoder_of
from dpcert.mechanisms.foreign.their_sensitivity import Theirs, of_library, unknown
from dpcert.mechanisms.matrices.encoder import Encoder
from dpcert.mechanisms.matrices.participations import Participation
from dpcert.mechanisms.matrices.reading import Form, read_described
from dpcert.mechanisms.matrices.strategies import Description
from dpcert.mechanisms.matrices.workloads import NamedWorkload
from dpcert.mechanisms.matrix_audit.audited import PeerSensitivity


@dataclass(frozen=True)
class MatrixSource:
    """An encoder, and what else its source says.

    Args:
        encoder: R.
        noise_multiplier: The deviation of the noise over the clip norm, where the source names it.
        participation: In which rounds one person's records may stand, where the source names it.
        theirs: What its library makes of its sensitivity.
        workload: What is published, where the source names it.
    """

    encoder: Encoder
    noise_multiplier: Fraction | None = None
    participation: Participation | None = None
    theirs: Theirs = unknown
    workload: NamedWorkload | None = None


def names_object(place: str) -> bool:
    """Whether it is FILE.py:NAME or package.module:Name, and no file of that name is there.

    >>> names_object("blt.py:blt"), names_object("tree.json")
    (True, False)
    """
    before, colon, name = place.rpartition(":")
    return bool(colon and before and name.isidentifier()) and not Path(place).exists()


def matrix_source(
    place: str, *, form: Form | None = None, row_rounds: Sequence[int] = (), rounds: int | None = None
) -> MatrixSource:
    """The encoder that a file holds or an object stands for.

    Args:
        place: The file, or FILE.py:NAME: an object, or a class or function without parameters that makes one.
        form: Whether it is C or C^-1; C unless it is said, which it has to be of a StreamingMatrix.
        row_rounds: The round (from 1) of every row of a matrix in a file.
        rounds: T, where it is left open.
    Raises: ArgumentError: no encoder, or not one of so many rounds. TargetError, MechanismError: nothing there, or what
        the user's own code raises. UndecidedError: a mechanism that is amplified.
    """
    if names_object(place):
        if row_rounds:
            raise expected("no rounds of rows with an object", rounds=f"{len(row_rounds)} of them")
        source = _of_object(place, form, rounds)
    else:
        source = _named(mf_gaussian.in_file(place), form) or _described(
            read_described(place, form=form or Form.ENCODER, row_rounds=row_rounds, rounds=rounds)
        )
    if rounds is not None and source.encoder.rounds != rounds:
        raise expected(f"a matrix of {rounds} rounds", rounds=source.encoder.rounds)
    return source


def _of_object(place: str, form: Form | None, rounds: int | None) -> MatrixSource:
    target = find(place, {}).mechanism
    whole = _named(mf_gaussian.of_object(target), form)
    if whole is not None:
        return whole
    encoder = encoder_of(target, one_line(place, 100), form, rounds)
    return MatrixSource(encoder, theirs=unknown if form is Form.INVERSE else of_library(target, encoder.rounds))


def _described(made: Description) -> MatrixSource:
    return MatrixSource(made.encoder, workload=made.workload)


def _named(mechanism: MfGaussian | None, form: Form | None) -> MatrixSource | None:
    """A mechanism that names its noise and participations."""
    if mechanism is None:
        return None
    if form is Form.INVERSE:
        raise expected("no form with a mechanism that names its matrix", form=form.value)
    peer = None if mechanism.theirs is None else PeerSensitivity(mechanism.theirs, "the strategy's own sensitivity")
    return MatrixSource(
        mechanism.encoder,
        mechanism.noise_multiplier,
        mechanism.participation,
        lambda p: peer if p == mechanism.participation else None,
    )
