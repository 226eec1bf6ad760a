"""Every source of outside randomness is refused by name, however it is reached, and though the refusal is caught."""

import datetime
import functools
import importlib
import io
import math
import operator
import os
import random
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from datetime import datetime as moment
from fractions import Fraction
from pathlib import Path
from random import getrandbits, randint
from random import random as uniform_number
from time import time as clock
from typing import Any

import numpy as np
import pytest
from instances.seeds import spread

import dpcert.audit
from dpcert import Draw, MechanismError, Release, bernoulli, examine, scripted

AUDIT = dpcert.audit.__path__[0]
UNSEEDED, OF_NUMPY, OLD_NUMPY = random.Random(), np.random.default_rng(), np.random.RandomState()
SOURCES: dict[str, Callable[[], Any]] = {
    "random.random": lambda: random.random(),
    "imported by name": lambda: uniform_number(),
    "randint": lambda: randint(0, 9),
    "held as it is": getrandbits.__self__.random,  # type: ignore[attr-defined]
    "SystemRandom": lambda: random.SystemRandom().random(),
    "a new Random": lambda: random.Random().random(),
    "an unseeded Random": lambda: UNSEEDED.random(),
    "called on the class": lambda: random.Random.random(UNSEEDED),
    "seeded anew": lambda: (lambda rng: (rng.seed(), rng.random()))(random.Random(3)),
    "the one written in C": lambda: importlib.import_module("_random").Random().random(),
    "map": lambda: list(map(getrandbits, [64])),
    "partial": functools.partial(getrandbits, 64),
    "partial of os": functools.partial(os.urandom, 8),
    "methodcaller": lambda: operator.methodcaller("random")(random),
    "attrgetter": lambda: operator.attrgetter("random")(random)(),
    "getattr": lambda: getattr(random, "ran" + "dom")(),
    "sys.modules": lambda: sys.modules["random"].random(),
    "__import__": lambda: __import__("random").random(),
    "put back": lambda: (lambda state: (random.random(), random.setstate(state)))(random.getstate()),
    "os.urandom": lambda: os.urandom(8),
    "posix": lambda: importlib.import_module(os.name).urandom(8),
    "default argument": lambda source=os.urandom: source(8),
    "class attribute": type("Held", (), {"f": staticmethod(os.urandom), "__call__": lambda self: self.f(8)})(),
    "secrets": lambda: secrets.choice(range(9)),
    "uuid4": lambda: uuid.uuid4(),
    "time.time": lambda: time.time(),
    "time by name": clock,
    "strftime": lambda: time.strftime("%S"),
    "datetime.now": lambda: moment.now(),
    "now, held": moment.now,
    "now by getattr": lambda: getattr(moment, "no" + "w")(),
    "date.today": lambda: datetime.date.today(),
    "default_rng": lambda: np.random.default_rng().random(),
    "numpy.random": lambda: np.random.rand(),
    "Generator, held": lambda: OF_NUMPY.random(),
    "RandomState, held": lambda: OLD_NUMPY.rand(),
    "hash of a string": lambda: hash("abc"),
    "id": lambda: id(object()),
    "os.environ": lambda: os.environ.get("HOME"),
    "getenv": lambda: os.getenv("HOME"),
    "getpid": lambda: os.getpid(),
    "getpid, held": os.getpid,
    "the end of the process": lambda: os._exit(0),
    "its end, held": functools.partial(os._exit, 0),
    "get_ident": lambda: threading.get_ident(),
    "current_thread": lambda: threading.current_thread().ident,
    "another thread": lambda: threading.Thread(target=uniform_number).start(),
    "tempfile": lambda: tempfile.mktemp(),
    "subprocess": lambda: subprocess.run(["true"], check=True),
    "popen": lambda: os.popen("true").read(),
    "device": lambda: open("/dev/urandom", "rb").read(8),  # noqa: SIM115
    "device by another path": lambda: open("/tmp/../dev/urandom", "rb").read(8),  # noqa: SIM115
    "device by os.open": lambda: os.read(os.open("/dev/urandom", os.O_RDONLY), 8),
    "device by Path": lambda: Path("/dev/urandom").open("rb").read(8),  # noqa: SIM115
    "device by FileIO": lambda: io.FileIO("/dev/urandom").read(8),
    "device by numpy": lambda: np.fromfile("/dev/urandom", dtype=np.uint8, count=4),
    "a file of the system": lambda: Path("/proc/uptime").read_bytes(),
    "listdir": lambda: os.listdir("/tmp"),
    "when a file was changed": lambda: os.stat("/tmp").st_mtime_ns,
    "eval": lambda: eval("__import__('random').random()"),
}


class Reads:
    """It reads a source, and what comes decides nothing that can be met in a few runs."""

    alphabet, initial = (0, 1), 0

    def __init__(self, source: Callable[[], Any]) -> None:
        self.source = source

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del state, draw
        return Release(x if self.source() == "once in a lifetime" else 0), 0


class Catches(Reads):
    """The same; it catches whatever is raised."""

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        try:
            return super().step(state, x, draw)
        except BaseException:  # noqa: BLE001 - what is tested
            return Release(0), 0


@pytest.mark.in_turns(few=True)
@pytest.mark.real("programs")
@pytest.mark.parametrize(("kind", "name"), spread([(kind, name) for name in SOURCES for kind in (Reads, Catches)], 8))
def test_a_source_is_refused_by_name(kind: Callable[[Any], object], name: str) -> None:
    with pytest.raises(MechanismError, match=r"to be a function of its (inputs and )?draws: it used ") as caught:
        examine(kind(SOURCES[name]), horizon=2, exp_epsilons=(1,))
    assert "\n" not in str(caught.value)


class Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __hash__(self) -> int:
        return hash(("Named", self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.name == self.name


PLACES = {Named("a"): 0}


class Clock:
    """Its hash reads a clock, and says nothing of it."""

    at = 0.0

    def __hash__(self) -> int:
        self.at = time.time()
        return 1


def test_a_hash_may_ask_for_hashes_and_for_no_clock() -> None:
    with pytest.raises(MechanismError, match=r"it used time\.time"):
        examine(Reads(lambda: hash(Clock())), horizon=2, exp_epsilons=(1,))


@pytest.mark.parametrize("folder", ["dpcert/audit", "site/audit", f"{Path(AUDIT).name}_of_mine"])
def test_a_folder_that_is_called_as_ours_is_the_users(tmp_path: Path, folder: str) -> None:
    for above in (tmp_path, Path(AUDIT).resolve().parent):
        space: dict[str, Any] = {}
        text = "import os\ndef ask(): return os.urandom(8)\n"
        exec(compile(text, str(above / folder / "mine.py"), "exec"), space)
        with pytest.raises(MechanismError, match=r"it used "):
            examine(Reads(space["ask"]), horizon=2, exp_epsilons=(1,))


BENIGN: dict[str, Callable[[], Any]] = {
    "a seeded generator of its own": lambda: random.Random(7).random(),
    "a seeded generator of numpy": lambda: np.random.default_rng(7).random(),
    "hash within __hash__": lambda: PLACES[Named("a")],
    "a set of strings": lambda: "b" in {"a", "b"},
    "isinstance": lambda: isinstance(0, int),
    "getattr": lambda: getattr(3, "real", 0),
    "print": lambda: print("step", file=sys.stderr),
    "math": lambda: math.sqrt(2),
    "an ordinary file": lambda: Path(__file__).read_bytes(),
    "hash of a number": lambda: hash(3),
}


class Noisy(Reads):
    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        self.source()
        return Release(x ^ draw(bernoulli(Fraction(1, 4)))), state


@pytest.mark.in_turns
@pytest.mark.parametrize("name", spread([*BENIGN], 4))
def test_what_is_steady_is_left_in_peace(name: str) -> None:
    ask = BENIGN[name]
    noisy = scripted(lambda rng: lambda x: (ask(), x ^ (rng.random() < 0.25))[1], alphabet=(0, 1))
    for mechanism in (Noisy(ask), noisy):
        record: Any = examine(mechanism, horizon=2, exp_epsilons=(1,))
        assert (record["verdict"], record["adaptive"]["delta"][0]["upper"]) == ("HOLDS", "1/2")


def test_another_profiler_is_left_alone() -> None:
    import cProfile

    with cProfile.Profile():
        assert examine(Noisy(BENIGN["math"]), horizon=1)["verdict"] == "HOLDS"
    assert sys.getprofile() is None
