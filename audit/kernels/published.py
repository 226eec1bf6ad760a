"""What a mechanism publishes beside its core releases, by a `publish` of its own: asked for, and put beside them."""

from collections.abc import Callable
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, values_of
from dpcert.audit.kernels.border import answering, member
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.protocol_kind import method
from dpcert.audit.kernels.release import HALT, Published

Transcript = tuple[Any, ...]


@frozen(slots=True)
class Publisher:
    """A mechanism's own `publish`, of which nothing is known but that it is handed the core releases so far.

    It is to be asked right after each release: if it reads what the mechanism has left behind, that shows then.
    Releases and values are tokens.
    """

    name: str
    publish: Callable[[Transcript], Any]

    def beside(self, releases: Transcript) -> Any:
        """The last of these visible outputs, with what is published after them beside it; HALT stays alone."""
        last = releases[-1]
        if last is HALT:
            return HALT
        value = self._value(values_of(map(core_of_release, releases)))
        return Published(core_of_release(last), (last.value, value) if isinstance(last, Published) else value)

    def _value(self, core: Transcript) -> Any:
        with answering(f"{self.name}.publish", self.publish):
            value, again = (held(self.publish(core), "published value") for _ in range(2))
            if again != value:
                alike = f"{self.name}.publish to answer alike when it is asked again"
                raise MechanismError(f"Expected {alike} but got {label(value)} and {label(again)} of {label(core)}")
        return value


def publisher_of(mechanism: object, name: str) -> Publisher | None:
    """The mechanism's own `publish`, if it has one."""
    publish = member(mechanism, "publish")
    return None if publish is None else Publisher(name, method(mechanism, "publish"))


def core_of_release(visible: Any) -> Any:
    """The core release in a visible output, which may have a published value beside it."""
    return visible.core if isinstance(visible, Published) else visible
