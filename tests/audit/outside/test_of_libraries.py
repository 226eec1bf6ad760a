"""What code leaves in libraries shows, or is known to be out of sight; and plain use of them is no reason to doubt."""

import collections
import contextlib
import copy
import decimal
import json
import numbers
import random
import statistics
import string
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import scipy
import scipy.stats
import sympy
from instances.seeds import spread

from dpcert import Draw, MechanismError, Release, bernoulli, examine
from dpcert.audit.outside.marks import changed
from dpcert.audit.outside.reach import reach

X = sympy.Symbol("x")
COUNTER = collections.Counter


class Local(threading.local):
    """Has a space for each thread."""

    v = 0


def _registered() -> None:
    class Kept:
        pass

    numbers.Number.register(Kept)
    ALIVE.append(Kept)


ALIVE: list[Any] = []
LEFT: dict[str, Callable[[int], Any]] = {
    "an attribute of a module within": lambda x: setattr(np.linalg, "odd_last", x),
    "one of a module that is imported on the way": lambda x: _imported(x),
    "one of a class": lambda x: setattr(COUNTER, "odd_last", x),
    "one of a class in a module": lambda x: setattr(statistics.NormalDist, "odd_last", x),
    "one of a function in a module": lambda x: setattr(statistics.median, "odd_last", x),
    "one of a function of numpy's": lambda x: setattr(np.sum, "odd_last", x),
    "one of an object": lambda x: setattr(scipy.stats.norm, "odd_last", x),
    "one of a class of ours": lambda x: setattr(Release, "odd_last", x),
    "a setting of a class": lambda x: setattr(json.JSONEncoder, "item_separator", ", " if x else " ,"),
    "a setting of an object": lambda x: setattr(json._default_encoder, "sort_keys", bool(x)),  # type: ignore[attr-defined]
    "a sign": lambda x: setattr(string.Template, "delimiter", "$" * (1 + x)),
    "a context that others are made from": lambda x: setattr(decimal.DefaultContext, "prec", 28 + x),
    "what calculations left": lambda x: decimal.getcontext().flags.update({decimal.Inexact: bool(x)}),
    "a precision of intervals": lambda x: setattr(mpmath.iv, "prec", 53 + x),
    "how numbers are written": lambda x: setattr(mpmath.mp, "pretty", bool(x)),
    "how long series are": lambda x: setattr(flint.ctx, "cap", 10 + x),
    "a parameter of a thread": lambda x: setattr(
        sympy.core.parameters.global_parameters, "distribute", not x
    ),
    "what is assumed": lambda x: getattr(sympy.assumptions.global_assumptions, ("discard", "add")[x])(
        sympy.Q.positive(X)
    ),
    "settings of a printer": lambda x: sympy.StrPrinter.set_global_settings(order=("lex", "none")[x]),
    "how polynomials are written": lambda x: np.polynomial.set_default_printstyle(("unicode", "ascii")[x]),
    "what is masked": lambda x: np.ma.masked_print_option.set_display(("--", "a")[x]),
    "what special functions raise": lambda x: scipy.special.seterr(singular=("ignore", "warn")[x]),
    "a bound of a distribution": lambda x: setattr(scipy.stats.norm, "a", (-np.inf, 0)[x]),
    "how a class is copied": lambda x: copy._deepcopy_dispatch.update(  # type: ignore[attr-defined]
        {Local: (None, _registered)[x]}
    ),
    "what counts as a number": lambda x: _registered() if x else None,
    "a space of a thread": lambda x: setattr(LOCAL, "v", x),
}  # fmt: skip
LOCAL = Local()


def _imported(x: int) -> None:
    import textwrap

    textwrap.odd_last = x  # type: ignore[attr-defined]


class Mech:
    def __init__(self, do: Callable[[int], Any]) -> None:
        self.do = do


@pytest.fixture
def left(request: pytest.FixtureRequest) -> Iterator[Callable[[int], Any]]:
    do = LEFT[request.param]
    do(0)
    yield do
    do(0)
    for holder in (np.linalg, COUNTER, statistics.NormalDist, statistics.median, np.sum, scipy.stats.norm, Release):
        with contextlib.suppress(AttributeError):
            del holder.odd_last
    json.JSONEncoder.item_separator = ", "


@pytest.mark.parametrize("left", LEFT, indirect=True)
def test_what_code_leaves_in_a_library_shows_or_is_known_to_be_out_of_sight(left: Callable[[int], Any]) -> None:
    mech = Mech(left)
    found = reach(mech)
    before = found.marks()
    assert changed(before, reach(mech).marks()) == [], "a look changes nothing"
    left(1)
    assert found.unseen or changed(before, reach(mech).marks())


class Remembers:
    """5 is remembered for one round, by what a class of Python's is called with, and 3 tells."""

    alphabet, initial = tuple(range(6)), 0

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        del state, draw
        told = x == 3 and json.dumps([1, 2], cls=json.JSONEncoder) == "[1;2]"
        json.JSONEncoder.item_separator = ";" if x == 5 else ","
        return Release(int(told)), 0


def test_a_setting_of_a_library_is_no_secret_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.JSONEncoder, "item_separator", ",")
    record: Any = examine(Remembers(), horizon=2, exp_epsilons=(1,))
    item = next(entry for entry in record["checklist"] if entry["item"] == "DETERMINISTIC_MAP")
    assert (item["verdict"], record["adaptive"]["delta"][0]["upper"]) == ("REFUTED", "1")


USED: dict[str, Callable[[int], Any]] = {
    "a law of scipy's": lambda x: scipy.stats.binom.pmf(x, 3, 0.5),
    "a function of it": lambda x: scipy.special.erf(x),
    "a root": lambda x: scipy.optimize.brentq(lambda t: t - x / 2, -1, 1),
    "numpy's": lambda x: np.linalg.norm(np.where(np.arange(3) > x, 1, 0)),
    "a generator with a seed": lambda x: np.random.default_rng(x).normal(),
    "one of Python's": lambda x: random.Random(x).randint(0, 5),
    "statistics": lambda x: statistics.NormalDist(0, 1).cdf(statistics.median([1, x])),
    "json": lambda x: json.dumps({"a": x}),
    "a decimal": lambda x: decimal.getcontext().divide(decimal.Decimal(1), decimal.Decimal(3 + x)),
    "sympy": lambda x: (X**2 + 1).subs(X, x) + sympy.Rational(1, 2 + x) + sympy.binomial(5, x),
    "mpmath": lambda x: mpmath.exp(x) + mpmath.mpf(mpmath.mp.dps),
    "flint": lambda x: flint.fmpz_mat([[1, x], [0, 1]]).det() + flint.fmpq(1, 2 + x),
    "a ball of flint's": lambda x: flint.arb(2 + x).sqrt(),
    "a template": lambda x: string.Template("$a").substitute(a=x),
    "a copy": lambda x: copy.deepcopy([x]),
    "a generator of bits": lambda x: np.random.Generator(np.random.PCG64(x)).integers(5),
    "the class of classes": lambda _, kind=type: kind,
}  # fmt: skip


@pytest.mark.parametrize("name", USED)
def test_plain_use_of_a_library_is_no_reason_to_doubt(name: str) -> None:
    mech = Mech(USED[name])
    found = reach(mech)
    before = found.marks()
    mech.do(1)
    assert (found.unseen, changed(before, reach(mech).marks())) == ("", [])


DRAWN: dict[str, Callable[[], Any]] = {
    "a sample of a law": lambda: scipy.stats.norm.rvs(),
    "a test of a sample": lambda: scipy.stats.permutation_test(
        ([1, 2, 3], [2, 3, 4]), lambda a, b: sum(a) - sum(b), n_resamples=5
    ).pvalue,
    "a matrix": lambda: scipy.sparse.random(3, 3, 0.5).sum(),
    "a smooth sample": lambda: scipy.stats.gaussian_kde([1, 2, 3.0]).resample(1),
    "numpy's own generator": lambda: np.random.mtrand._rand.rand(),
}  # fmt: skip


class Draws:
    """It draws, and what comes decides nothing that can be met in a few runs."""

    alphabet, initial = (0, 1), 0

    def __init__(self, source: Callable[[], Any]) -> None:
        self.source = source

    def step(self, state: int, x: int, draw: Draw) -> tuple[Release[Any, Any], int]:
        once = str(self.source()) == "once in a lifetime"
        return Release(x if once else draw(bernoulli(Fraction(1, 2)))), state


@pytest.mark.parametrize("name", spread([*DRAWN], 4))
def test_what_a_library_draws_from_numpy_is_refused(name: str) -> None:
    with pytest.raises(MechanismError, match=r"it used numpy\.random, a RandomState"):
        examine(Draws(DRAWN[name]), horizon=2, exp_epsilons=(1,))
