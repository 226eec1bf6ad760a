"""One run of probed code: what it released in every round, and what it drew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcert.audit.errors import TargetError, expected, one_line
from dpcert.audit.kernels.border import answering, has
from dpcert.audit.limits import look
from dpcert.mechanisms.matrices.dyadic import Floats
from dpcert.mechanisms.probe.generator import ProbedGenerator
from dpcert.mechanisms.probe.script import DrawPlace, Script, ScriptedDraw
from dpcert.mechanisms.probe.target import RESTART, STEP, ProbeTarget

LARGEST_PROBED = 1 << 53
"""The largest whole number that is released: those past it are no floats."""
MOST_RELEASES = 1_024
"""Numbers that one run of a probed mechanism may release."""


@dataclass(frozen=True, eq=False)
class ProbeRun:
    """What one run did.

    Args:
        released: All released numbers, in order.
        rounds: For each, the round (from 1) in which it was released.
        draws: What was drawn, in order.
        is_single: Whether something was released in fewer bits than float64.
        repeated: Places of draws that were drawn again, by a generator that was copied or set back.
    """

    released: Floats
    rounds: tuple[int, ...]
    draws: tuple[ScriptedDraw, ...]
    is_single: bool
    repeated: frozenset[DrawPlace]


def run_once(target: ProbeTarget, inputs: Floats, noise: Mapping[DrawPlace, float], restart: int | None) -> ProbeRun:
    """Runs the code, from its beginning, on inputs and noise.

    Args:
        target: The code.
        inputs: A number a round, or a vector a round.
        noise: Draws other than 0, for a location of 0 and a scale of 1.
        restart: After which round `restart()` is called, if it is.
    Raises: MechanismError: it raises, draws what is not supported or releases what is no number.
    """
    look()
    script = Script(noise)
    rng = ProbedGenerator(script)
    answers = _streamed(target, inputs, script, rng, restart) if target.is_streaming else _whole(target, inputs, rng)
    if script.refused is not None:
        raise TargetError(f"{target.title}: {script.refused}")
    if not rng.is_untouched():
        raise TargetError(f"Expected {target.title} to draw by the generator's own methods but got a draw past them")
    numbers = [_numbers(answer, at, target) for at, answer in enumerate(answers, 1)]
    rounds = tuple(at for at, (values, _) in enumerate(numbers, 1) for _ in range(values.size))
    if not rounds:
        raise TargetError(f"Expected {target.title} to release a number in some round but got none")
    if len(rounds) > MOST_RELEASES:
        raise expected(f"at most {MOST_RELEASES} released numbers (MOST_RELEASES)", released=len(rounds))
    released = np.concatenate([values for values, _ in numbers])
    is_single = any(single for _, single in numbers)
    return ProbeRun(released, rounds, tuple(script.draws.values()), is_single, frozenset(script.repeated))


def _streamed(
    target: ProbeTarget, inputs: Floats, script: Script, rng: ProbedGenerator, restart: int | None
) -> list[Any]:
    """Round by round: an answer cannot look ahead."""
    mechanism, answers = target.begin(rng), []
    is_named = has(mechanism, STEP)
    for at, x in enumerate(inputs, 1):
        script.round = at
        name = f"{target.title}.{STEP}" if is_named else target.title
        with answering(name, target.factory):
            given = x.copy() if x.ndim else float(x)
            answers.append(_kept(mechanism.step(given) if is_named else mechanism(given)))
        if at == restart:
            if not has(mechanism, RESTART):
                raise TargetError(f"Expected {target.title} to have a method {RESTART}() but got none")
            with answering(f"{target.title}.{RESTART}", target.factory):
                mechanism.restart()
    return answers


def _whole(target: ProbeTarget, inputs: Floats, rng: ProbedGenerator) -> Sequence[Any]:
    """All at once; then the outputs have to come one for a round."""
    found = target.whole(inputs.copy(), rng)
    with answering(target.title, target.factory):
        count = len(found)
        answers = [found[t] for t in range(count)]
    if count != len(inputs):
        raise TargetError(f"Expected {target.title} to return {len(inputs)} outputs, one a round, but got {count}")
    return answers


def _kept(answer: Any) -> Any:
    """The answer as it is now: an array that is written over later stays what was released."""
    return answer.copy() if isinstance(answer, np.ndarray) else answer


def _numbers(answer: Any, at: int, target: ProbeTarget) -> tuple[Floats, bool]:
    """The numbers of one round, and whether they have fewer bits than float64. Raises: TargetError: they are none."""
    if answer is None:
        return np.zeros(0), False
    what = f"Expected {target.title} to release finite numbers but got"
    with answering(target.title, target.factory):
        numbers = np.asarray(answer)
    if numbers.dtype.kind not in "fiub":
        raise TargetError(f"{what} {one_line(type(answer).__name__)} of {one_line(str(numbers.dtype))} in round {at}")
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize not in (4, 8):
        raise TargetError(
            f"Expected {target.title} to release float64 or float32 but got {numbers.dtype} in round {at}"
        )
    if numbers.dtype.kind in "iu" and any(abs(int(y)) > LARGEST_PROBED for y in numbers.ravel()):
        raise TargetError(f"{what} a whole number past {LARGEST_PROBED} (LARGEST_PROBED) in round {at}")
    single = numbers.dtype.kind == "f" and numbers.dtype.itemsize < 8
    values = numbers.astype(np.float64).ravel()
    if not np.isfinite(values).all():
        raise TargetError(f"{what} {values[~np.isfinite(values)][0]} in round {at}")
    return values, single
