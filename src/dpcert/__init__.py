"""dpcert: the exact privacy of interactive, continually releasing mechanisms."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dpcert import _start as _start

if TYPE_CHECKING:
    from dpcert import laws
    from dpcert.audit.algebra.common_laws import bernoulli, from_weights, point, uniform
    from dpcert.audit.algebra.divergence import hockey_stick, privacy_profile, total_variation
    from dpcert.audit.algebra.enclosure import Enclosure
    from dpcert.audit.algebra.mixture import mix
    from dpcert.audit.algebra.pmf import Pmf
    from dpcert.audit.algebra.power import PowerFunction, dp_power, supremum
    from dpcert.audit.budget import Budget
    from dpcert.audit.checklist.hints import InvariantPair
    from dpcert.audit.errors import ArgumentError, DpcertError, MechanismError, TargetError
    from dpcert.audit.examine import examine
    from dpcert.audit.finding import Finding, Item, Method, Verdict
    from dpcert.audit.kernels.combine import both, viewed
    from dpcert.audit.kernels.draws import Draw
    from dpcert.audit.kernels.feeding import feeding
    from dpcert.audit.kernels.protocols import (
        Interactive,
        LinearCore,
        MarkovCore,
        NeighborPreserving,
        PrefixCore,
        Seeded,
    )
    from dpcert.audit.kernels.release import HALT, Published, Release
    from dpcert.audit.kernels.session import Session
    from dpcert.audit.records.record import Record
    from dpcert.audit.relations.adjacency import ANY, HAMMING, UNIT_HAMMING, ZERO_OUT, Adjacency
    from dpcert.audit.relations.edits import EDIT
    from dpcert.audit.relations.shapes import PublicHalf, Window
    from dpcert.audit.sampled.estimate import estimate
    from dpcert.audit.sampled.sampling import Sampling
    from dpcert.audit.scripted.code import Raised, Scripted, scripted
    from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta

__version__ = "0.1.0"

__all__ = [
    # exact objects
    "Pmf", "bernoulli", "from_weights", "point", "uniform",
    "PowerFunction", "dp_power", "mix", "supremum",
    "laws", "hockey_stick", "privacy_profile", "total_variation", "Enclosure",
    # mechanisms and games
    "MarkovCore", "PrefixCore", "LinearCore", "Interactive", "NeighborPreserving", "Seeded", "InvariantPair",
    "Release", "Published", "HALT", "Draw", "Session", "both", "feeding", "viewed", "scripted", "Scripted", "Raised",
    "Adjacency", "HAMMING", "UNIT_HAMMING", "ZERO_OUT", "EDIT", "ANY", "Window", "PublicHalf",
    # audits
    "examine", "estimate", "Sampling",
    "Budget", "Requirements", "claim", "required_delta", "Record", "Finding", "Item", "Method", "Verdict",
    "DpcertError", "ArgumentError", "MechanismError", "TargetError",
]  # fmt: skip

_NAMES = {
    "relations.adjacency": ("ANY", "HAMMING", "UNIT_HAMMING", "ZERO_OUT", "Adjacency"),
    "relations.shapes": ("PublicHalf", "Window"),
    "budget": ("Budget",),
    "kernels.combine": ("both", "viewed"),
    "algebra.divergence": ("hockey_stick", "privacy_profile", "total_variation"),
    "kernels.draws": ("Draw",),
    "relations.edits": ("EDIT",),
    "algebra.enclosure": ("Enclosure",),
    "errors": ("ArgumentError", "DpcertError", "MechanismError", "TargetError"),
    "examine": ("examine",),
    "kernels.feeding": ("feeding",),
    "finding": ("Finding", "Item", "Method", "Verdict"),
    "checklist.hints": ("InvariantPair",),
    "kernels.protocols": ("Interactive", "LinearCore", "MarkovCore", "NeighborPreserving", "PrefixCore", "Seeded"),
    "algebra.mixture": ("mix",),
    "algebra.common_laws": ("bernoulli", "from_weights", "point", "uniform"),
    "algebra.pmf": ("Pmf",),
    "algebra.power": ("PowerFunction", "dp_power", "supremum"),
    "records.record": ("Record",),
    "kernels.release": ("HALT", "Published", "Release"),
    "sampled.estimate": ("estimate",),
    "sampled.sampling": ("Sampling",),
    "scripted.code": ("Raised", "Scripted", "scripted"),
    "kernels.session": ("Session",),
    "verdicts.requirements": ("Requirements", "claim", "required_delta"),
}
"""Module of `dpcert.audit` -> the public names that are taken from it, as above, when they are first asked for."""
_MODULE_OF = {name: f"dpcert.audit.{module}" for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name, whose module is read now: what a program does not use, it does not wait for."""
    if name == "laws":
        return import_module("dpcert.laws")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
