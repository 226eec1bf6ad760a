"""dpcert: the exact privacy of interactive, continually releasing mechanisms."""

from dpcert.audit.adjacency import HAMMING, Adjacency
from dpcert.audit.divergence import hockey_stick, privacy_profile, total_variation
from dpcert.audit.enclosure import Enclosure
from dpcert.audit.errors import ArgumentError, DpcertError, MechanismError, TargetError
from dpcert.audit.examine import examine
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.mechanism import MarkovCore, PrefixCore
from dpcert.audit.pmf import Pmf, bernoulli, from_weights, point, uniform
from dpcert.audit.power import PowerFunction, dp_power, mix, supremum
from dpcert.audit.record import Record

__version__ = "0.1.0"

__all__ = [
    # exact objects
    "Pmf", "bernoulli", "from_weights", "point", "uniform",
    "PowerFunction", "dp_power", "mix", "supremum",
    "hockey_stick", "privacy_profile", "total_variation", "Enclosure",
    # mechanisms and games
    "MarkovCore", "PrefixCore", "Adjacency", "HAMMING",
    # audits
    "examine", "Record", "Finding", "Item", "Method", "Verdict",
    "DpcertError", "ArgumentError", "MechanismError", "TargetError",
]  # fmt: skip
