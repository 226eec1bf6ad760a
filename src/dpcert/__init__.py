"""dpcert: the exact privacy of interactive, continually releasing mechanisms."""

from dpcert import _start as _start
from dpcert import laws
from dpcert.audit.algebra.divergence import hockey_stick, privacy_profile, total_variation
from dpcert.audit.algebra.enclosure import Enclosure
from dpcert.audit.algebra.pmf import Pmf, bernoulli, from_weights, point, uniform
from dpcert.audit.algebra.power import PowerFunction, dp_power, mix, supremum
from dpcert.audit.budget import Budget
from dpcert.audit.checklist.hints import InvariantPair
from dpcert.audit.errors import ArgumentError, DpcertError, MechanismError, TargetError
from dpcert.audit.examine import examine
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.kernels.combine import both, viewed
from dpcert.audit.kernels.draws import Draw
from dpcert.audit.kernels.feeding import feeding
from dpcert.audit.kernels.protocols import Interactive, LinearCore, MarkovCore, NeighborPreserving, PrefixCore, Seeded
from dpcert.audit.kernels.release import HALT, Published, Release
from dpcert.audit.kernels.session import Session
from dpcert.audit.records.record import Record
from dpcert.audit.relations.adjacency import ANY, HAMMING, UNIT_HAMMING, ZERO_OUT, Adjacency
from dpcert.audit.relations.edits import EDIT
from dpcert.audit.relations.shapes import PublicHalf, Window
from dpcert.audit.scripted.code import Raised, Scripted, scripted

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
    "examine", "Budget", "Record", "Finding", "Item", "Method", "Verdict",
    "DpcertError", "ArgumentError", "MechanismError", "TargetError",
]  # fmt: skip
