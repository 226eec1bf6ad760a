"""Every condition and rung that a record can name is explained."""

import pytest

from dpcert import Item
from dpcert.audit.checklist.ladder import RUNGS
from dpcert.audit.commands.cli import run
from dpcert.audit.render.explanations import EXPLANATIONS


@pytest.mark.parametrize("name", [*(item.value for item in Item), *RUNGS])
def test_every_name_in_a_record_is_explained(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", name.lower().replace("_", "-")]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"{name}: ")
    assert "A witness shows: " in out
    assert "What usually repairs it: " in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_nothing_else_is_explained() -> None:
    assert set(EXPLANATIONS) == {*(item.value for item in Item), *RUNGS}


def test_an_unknown_name_gets_the_nearest(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "SCALER"]) == 2
    assert capfd.readouterr().err == (
        "dpcert: Expected a condition or a rung but got name='SCALER'; did you mean SCALAR?\n"
    )
