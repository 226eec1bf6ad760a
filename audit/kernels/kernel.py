"""One round of a mechanism from a state under an input, as integer weights."""

from collections.abc import Hashable
from typing import Any

from dpcert.audit.frozen import frozen


@frozen(slots=True)
class Kernel:
    """One round from a state under an input: (visible, next state, integer weight); weights sum to `denominator`."""

    entries: tuple[tuple[Hashable, Hashable, int], ...]
    denominator: int


Given = dict[tuple[Any, Any], list[Kernel]]
"""By state and input, kernels that were given."""
