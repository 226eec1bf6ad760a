"""What stands in forms by its place: libraries, generators and what no run makes anew; and where forms end."""

from dataclasses import make_dataclass
from fractions import Fraction
from typing import Any

import pytest

from dpcert.audit.scripted import traversal
from dpcert.audit.scripted.forms import Forms
from dpcert.audit.scripted.generators import ScriptedRandom
from dpcert.audit.scripted.tape import Tape
from dpcert.audit.scripted.unknown import Unknown

FORMS = Forms()


def form(*values: Any) -> tuple[Any, ...]:
    return FORMS.of(values, None)


def test_what_is_shared_with_other_runs_is_told_apart_by_place() -> None:
    assert form(len) == form(len) != form(abs)
    assert form(Fraction) == form(Fraction) != form(int)


def test_a_class_that_a_library_made_for_a_user_is_the_users() -> None:
    made = make_dataclass("Made", ["a"], namespace={"shared": []})
    before = form(made(1))
    made.shared.append(1)  # type: ignore[attr-defined]
    assert form(made(1)) != before


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
    one.kept = 1  # type: ignore[attr-defined]
    with pytest.raises(Unknown, match="on a generator"):
        FORMS.of((one,), one)
