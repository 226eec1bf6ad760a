"""Audits that are kept from run to run, and a mechanism in two files of a user to keep audits of."""

from pathlib import Path
from typing import Any

from dpcert.audit.exchange.asserting import Auditor, MechanismAudit
from dpcert.audit.exchange.kept import KeptAudits

CORE = """
from fractions import Fraction
from dpcert import bernoulli, Pmf
import helping

RATE = Fraction(1, 4)
TABLE = {"low": Fraction(1, 8), "of": helping.half}

class Label:
    def __init__(self, y): self.y = y
    def __eq__(self, other): return self.y == other.y
    def __hash__(self): return hash(self.y)

class Core:
    "A core."
    alphabet = (0, 1)
    shift = Fraction(1, 16)

    def __init__(self, truth: Fraction = Fraction(1, 2)):
        self.truth = truth

    def law(self, prefix, more=Fraction(1, 32)):
        return bernoulli(helping.half(RATE + more) + self.shift + (TABLE["low"] if prefix[-1] else 0) * self.truth)
"""


HELPING = """
def half(value):
    return value / 2
"""


class Audits:
    """A folder of kept audits, and audits as test after test, run after run, make them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = KeptAudits(folder)

    def new_run(self) -> "Audits":
        return Audits(self.folder)

    def audit(self, mechanism: object, **asked: Any) -> MechanismAudit:
        return Auditor("test", lambda *_: None, lambda _: None, self.run).audit(mechanism, **asked)


def lasting(record: Any) -> dict[str, Any]:
    """A record without what differs between two runs."""
    return {key: value for key, value in record.document.items() if key != "provenance"}


def anew(mechanism: object, **asked: Any) -> dict[str, Any]:
    return lasting(Auditor("test", lambda *_: None, lambda _: None).audit(mechanism, **asked).record)
