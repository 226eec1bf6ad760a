"""What stands in forms by its place: libraries, generators and what no run makes anew; and where forms end."""

import collections
import functools
import math
import zlib
from dataclasses import make_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpcert.audit.scripted import traversal
from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.generators import ScriptedRandom
from dpcert.audit.scripted.readable import Origin, origin_of_class
from dpcert.audit.scripted.tape import Tape
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.unresolved_math import math_of_draws

FORMS = Forms()


def form(*values: Any) -> tuple[Any, ...]:
    return FORMS.of(values, None)


def test_what_is_shared_with_other_runs_is_told_apart_by_place() -> None:
    kept = frozenset((1, 2))
    assert form(kept) == form(kept) != form(frozenset((1, 2)))


@pytest.mark.parametrize("owner", [math, Fraction])
def test_a_library_that_was_changed_has_no_form(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = Forms()
    before = forms.of((owner,), None)
    with monkeypatch.context() as changing:
        changing.setattr(owner, "kept_here", 1, raising=False)
        with pytest.raises(Unknown, match="was changed"):
            forms.of((owner,), None)
    name = "floor" if owner is math else "limit_denominator"
    with monkeypatch.context() as changing:
        changing.setattr(owner, name, len)
        with pytest.raises(Unknown, match="was changed"):
            forms.of((owner,), None)
    assert forms.of((owner,), None) == before


@pytest.mark.parametrize(("owner", "text"), [(collections.Counter, "import collections"), (np.linalg, "import numpy")])
def test_what_code_can_name_behind_a_library_counts(owner: Any, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    space: dict[str, Any] = {"__name__": "a_users_module"}
    inside = f"{text.split()[1]}.{owner.__name__.rpartition('.')[2]}.kept_here"
    exec(f"{text}\ndef read():\n    return {inside}\n", space)
    forms = Forms()
    before = forms.of((space["read"],), None)
    with monkeypatch.context() as changing:
        changing.setattr(owner, "kept_here", 1, raising=False)
        with pytest.raises(Unknown, match="was changed"):
            forms.of((space["read"],), None)
    assert forms.of((space["read"],), None) == before


def test_a_function_of_numpy_that_was_changed_has_no_form() -> None:
    forms = Forms()
    before = forms.of((np.sum,), None)
    np.sum.kept_here = 1  # type: ignore[attr-defined]
    try:
        with pytest.raises(Unknown, match="was changed"):
            forms.of((np.sum,), None)
    finally:
        del np.sum.kept_here  # type: ignore[attr-defined]
    assert forms.of((np.sum,), None) == before


def test_functions_of_math_that_know_draws_are_those_of_math() -> None:
    with math_of_draws():
        assert form(math.log) == form(math.log) != form(math.exp)
        inside = form(math.log)
    assert inside == form(math.log)


def test_a_class_that_a_library_made_for_a_user_is_the_users() -> None:
    made = make_dataclass("Made", ["a"], namespace={"shared": []})
    before = form(made(1))
    made.shared.append(1)  # type: ignore[attr-defined]
    assert form(made(1)) != before


def test_a_class_in_c_that_stands_nowhere_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("partial", "_lru_cache_wrapper"):
        kind = getattr(functools, name)
        monkeypatch.setattr(functools, name, None)
        assert origin_of_class(kind) is Origin.UNKNOWN
    assert origin_of_class(type(zlib.compressobj())) is Origin.UNKNOWN


def test_a_state_of_too_many_objects_has_no_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traversal, "MOST_OBJECTS", 10)
    assert form([1] * 20)
    with pytest.raises(Unknown, match="MOST_OBJECTS"):
        form([[i] for i in range(6)])


def test_what_is_nested_too_deeply_has_no_form() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(Unknown, match="nested"):
        form(deep)


def test_of_generators_only_that_of_the_run_is_known_and_only_if_nothing_is_kept_on_it() -> None:
    def answer(*_: object) -> Any:
        return 0, 1

    one, other = (ScriptedRandom(Tape("code", answer, answer)) for _ in range(2))
    assert FORMS.of((one,), one) == FORMS.of((other,), other)
    with pytest.raises(Unknown):
        FORMS.of((one,), other)
    assert FORMS.of((one.choice,), one) != FORMS.of((one.random,), one)
    one.kept = 1  # type: ignore[attr-defined]
    with pytest.raises(Unknown, match="on a generator"):
        FORMS.of((one,), one)
