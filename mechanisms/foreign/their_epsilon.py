"""What dp-accounting makes of an event of its own: its accountant of privacy loss distributions, else that of RDP."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

DP_ACCOUNTING = "dp_accounting"
ABSENT = "dp-accounting has no number: "


@dataclass(frozen=True)
class Accountant:
    """One accountant that an event was composed into; None where there is none.

    Args:
        by: Its name and version, or why there is none.
        composed: The accountant.
    """

    by: str
    composed: Any = None

    def epsilon(self, delta: Fraction) -> Fraction | None:
        """Its epsilon for a delta, as the float that it is; None where it gives no finite number."""
        return self._asked("get_epsilon", delta)

    def delta(self, epsilon: Fraction) -> Fraction | None:
        """Its delta for an epsilon."""
        return self._asked("get_delta", epsilon)

    def _asked(self, name: str, at: Fraction) -> Fraction | None:
        if self.composed is None:
            return None
        with suppress(Exception):  # whatever another library raises, ours stands
            found = float(np.asarray(getattr(self.composed, name)(float(at))))
            return Fraction(found) if np.isfinite(found) else None
        return None


def accountant(event: Any, *, replace_one: bool) -> Accountant:
    """The accountant of dp-accounting that supports an event, where the event is an object of that library.

    Args:
        event: The event.
        replace_one: Whether neighbours differ by a replacement.
    """
    if not type(event).__module__.startswith(DP_ACCOUNTING):
        return Accountant(f"{ABSENT}the event is no object of it")
    logging.getLogger("absl").setLevel(logging.ERROR)
    why = ""
    for name, module in (("PLD", "pld.PLDAccountant"), ("RDP", "rdp.RdpAccountant")):
        try:
            return Accountant(
                f"dp-accounting {version('dp-accounting')}, {name}", _composed(module, event, replace_one)
            )
        except Exception as error:  # noqa: BLE001 - as above
            why = why or type(error).__name__
    return Accountant(f"{ABSENT}{why}")


def _composed(place: str, event: Any, replace_one: bool) -> Any:
    module, _, name = place.partition(".")
    relation = import_module(DP_ACCOUNTING).NeighboringRelation
    chosen = relation.REPLACE_ONE if replace_one else relation.ADD_OR_REMOVE_ONE
    return getattr(import_module(f"{DP_ACCOUNTING}.{module}"), name)(neighboring_relation=chosen).compose(event)
