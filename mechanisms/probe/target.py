"""What is probed: a class or factory of objects that answer round by round, or a function of a whole stream."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpcert.audit.errors import TargetError, one_line
from dpcert.audit.kernels.border import answering, has
from dpcert.audit.kernels.parameters import BY_NAME, listed, read, whole
from dpcert.audit.kernels.targets import named

GENERATOR_NAMES = ("rng", "generator", "random_generator", "random_state")
"""Names by which code takes a random generator, whether or not it has a default."""
STEP = "step"
"""The method of a mechanism that takes the next input and returns what is released; else it is called itself."""
RESTART = "restart"


@dataclass(frozen=True)
class ProbeTarget:
    """Code to probe.

    Args:
        name: As it was named.
        factory: The class, the factory or the function.
        generator: The parameter that takes the generator.
        inputs: The parameter that takes all inputs; None where they come round by round.
        parameters: The others, with their values.
    """

    name: str
    factory: Callable[..., Any]
    generator: str
    inputs: str | None
    parameters: Mapping[str, Any]

    @property
    def is_streaming(self) -> bool:
        """Whether inputs come round by round, so that no release can look ahead."""
        return self.inputs is None

    @property
    def title(self) -> str:
        """The part of the name after the file's."""
        return one_line(self.name.rpartition(":")[2], 60)

    def begin(self, rng: Any) -> Any:
        """The mechanism before its first round. Raises: MechanismError: it raises, or has no step."""
        with answering(self.title, self.factory):
            mechanism = self.factory(**self.parameters, **{self.generator: rng})
        if not has(mechanism, STEP) and not callable(mechanism):
            kind = one_line(type(mechanism).__name__, 60)
            raise TargetError(f"Expected {self.title} to give an object with a method {STEP}(x) but got one of {kind}")
        return mechanism

    def whole(self, inputs: Any, rng: Any) -> Any:
        """All outputs of a function. Raises: MechanismError: it raises."""
        with answering(self.title, self.factory):
            return self.factory(**self.parameters, **{str(self.inputs): inputs, self.generator: rng})


def probe_target(target: str, arguments: Mapping[str, str]) -> ProbeTarget:
    """What a target string names.

    Args:
        target: FILE.py:Name or package.module:Name.
        arguments: Parameters as they were written.
    Raises: TargetError: nothing there, or nothing that takes a generator.
    """
    code = named(target)
    short = one_line(target, 100)
    if not callable(code):
        raise TargetError(f"Expected a class or a function but got {short}, of type {one_line(type(code).__name__)}")
    parameters = _parameters(code, short)
    missing = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty and n not in arguments]
    by_name = [n for n in parameters if n in GENERATOR_NAMES]
    if not by_name and not missing:
        names = " or ".join(GENERATOR_NAMES)
        raise TargetError(
            f"Expected {short} to take a generator ({names}) but got parameters {listed(parameters) or 'none'}"
        )
    generator = by_name[0] if by_name else missing[-1]
    rest = [n for n in missing if n != generator]
    is_function = not isinstance(code, type)
    inputs = rest[0] if is_function and len(rest) == 1 else None
    bound = {generator: None} if inputs is None else {generator: None, inputs: None}
    values = read(partial(code, **bound), target, arguments)
    known = {n: v for n, v in whole(code, values).items() if n not in bound}
    return ProbeTarget(target, code, generator, inputs, known)


def _parameters(made: Any, name: str) -> dict[str, inspect.Parameter]:
    try:
        taken = inspect.signature(made).parameters
    except Exception as error:
        raise TargetError(f"Expected {name} to say what it takes but got no signature") from error
    return {n: p for n, p in taken.items() if p.kind in BY_NAME}
