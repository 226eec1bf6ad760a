"""The checked view of a mechanism whose state is random and unseen, and the kernels of a step."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.draws import Draw, enumerated
from dpcert.audit.kernels.kernel import Given, Kernel
from dpcert.audit.kernels.release import Release


@dataclass(eq=False, repr=False)
class Hidden:
    """A mechanism whose state is random and unseen: an Interactive, or code whose seeds are unseen.

    Attributes:
        name: What it is called.
        alphabet: The tokens of its inputs.
        initial: The token of its first state.
        horizon: Rounds that it can be played, None without an end.
        given: By state and input, the kernels that were given so far, where anybody wants to know.
        published: The same of what it publishes beside, by what it is with all of that in view.
    """

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _kernel: Callable[[Any, Any], Kernel]
    _again: Callable[[Any, Any], Kernel] | None = None
    given: Given | None = None
    published: Given | None = None

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """Every release of one round from a state, with the state after it."""
        kernel = self._kernel(state, x)
        if self.given is not None and kernel not in (given := self.given.setdefault((state, x), [])):
            given.append(kernel)
        return kernel

    def kernel_again(self, state: Hashable, x: Hashable) -> Kernel:
        """The same from a new answer, where `kernel` may remember the first."""
        return (self._again or self._kernel)(state, x)


def enumerated_steps(
    name: str,
    step: Callable[[Any, Any, Draw], Any],
    definition: object = None,
    what: str = "step",
    *,
    tokens: bool = False,
) -> Callable[[Any, Any], Kernel]:
    """The kernels of a step, all its draws enumerated; hidden outputs are dropped, for no observer sees them.

    `definition` is the user's function, where `step` itself is not; `what` is what it is called. With `tokens`, the
    states that `step` is given and leads to are tokens already.
    """

    def visible(state: Any, x: Any, draw: Draw) -> tuple[Any, Any]:
        release, after = released_by(name, step(value_of(state), value_of(x), draw))
        return held(release.visible, "visible output"), after if tokens else held(after, "state")

    def kernel(state: Hashable, x: Hashable) -> Kernel:
        with answering(f"{name}.{what}", definition or step):
            weights, denominator = enumerated(name, lambda draw: visible(state, x, draw))
        return Kernel(tuple((*result, w) for result, w in weights.items()), denominator)  # type: ignore[misc]

    return kernel


def released_by(name: str, answer: object) -> tuple[Release[Any, Any], Any]:
    """A step's answer, if it has the shape of one."""
    if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], Release)):
        raise MechanismError(f"Expected {name}.step to return (Release, state) but got {type(answer).__name__}")
    return answer
