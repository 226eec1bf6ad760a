"""Which protocol a mechanism speaks: one, and exactly one."""

from collections.abc import Callable
from typing import Any

from dpcert.audit.errors import MechanismError
from dpcert.audit.kernels.border import has, member, name_of, stands, static
from dpcert.audit.kernels.label import label

MEMBERS: dict[str, tuple[str, ...]] = {
    "law": ("law",),
    "step": ("step",),
    "respond": ("respond",),
    "weights and noise_law": ("weights", "noise_law"),
    "progressions": ("progressions",),
}
"""What each protocol asks for that no other does: a core, an Interactive, a Seeded, a LinearCore told either way."""
LINEAR = frozenset({"weights and noise_law", "progressions"})
"""Those of a LinearCore, which may be told in both ways."""


def spoken(mechanism: object) -> tuple[str, ...]:
    """The protocols whose own members are there, inherited ones included; what cannot be called is a plain value."""
    return tuple(kind for kind, names in MEMBERS.items() if all(callable(member(mechanism, name)) for name in names))


def refuse_ambiguous(mechanism: object) -> None:
    """Refuses an object that can be taken for two mechanisms. Raises: MechanismError: it has members of two kinds."""
    kinds = spoken(mechanism)
    if len(kinds) > 1 and not LINEAR.issuperset(kinds):
        one, two = (" and ".join(f"`{name}`" for name in MEMBERS[kind]) for kind in kinds[:2])
        raise MechanismError(
            f"Expected a mechanism of one kind but got {name_of(mechanism)} with {one} as well as {two}: "
            "which of them runs? Keep one"
        )


def method(mechanism: object, name: str) -> Callable[..., Any]:
    """A method of the mechanism's. Raises: MechanismError: what stands there cannot be called."""
    attribute = member(mechanism, name)
    if callable(attribute):
        return attribute  # type: ignore[no-any-return]  # as just seen
    wanted = f"Expected {name_of(mechanism)}.{name} to be a method"
    raise MechanismError(f"{wanted} but got {name}={label(attribute)}{stands(static(mechanism, name))}")


def lacking(mechanism: object, names: tuple[str, ...]) -> list[str]:
    """Those of the members that are not there."""
    return [name for name in names if not has(mechanism, name)]
