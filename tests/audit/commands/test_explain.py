"""Every condition, rung and word that a report can name is explained."""

import pytest

from dpcert import Item
from dpcert.audit.checklist.ladder import RUNGS
from dpcert.audit.commands.cli import run
from dpcert.audit.render.explanations import EXPLANATIONS
from dpcert.audit.render.glossary import GLOSSARY


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


@pytest.mark.parametrize(("number", "item"), list(enumerate(Item, 1)))
def test_a_condition_goes_by_its_number(number: int, item: Item, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", str(number)]) == 0
    assert capfd.readouterr().out.startswith(f"{item.value}: ")


@pytest.mark.parametrize("word", GLOSSARY)
def test_every_word_is_explained_however_it_is_spelled(word: str, capfd: pytest.CaptureFixture[str]) -> None:
    for spelled in ([word], word.split(), [word.upper().replace(" ", "-")]):
        assert run(["explain", *spelled]) == 0
        assert capfd.readouterr().out.startswith(f"{word}: ")


def test_without_a_name_all_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert all(name in out for name in (*EXPLANATIONS, *GLOSSARY))
    assert "1 PREFIX_DEPENDENCE 2 FRESH_RANDOMNESS" in out


def test_the_glossary_is_sorted_and_names_no_condition() -> None:
    assert not {word.upper().replace(" ", "_") for word in GLOSSARY} & set(EXPLANATIONS)
    assert list(GLOSSARY) == sorted(GLOSSARY)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("SCALER", "did you mean SCALAR?"), ("powr function", "did you mean power function?"), ("6", "lists them")],
)
def test_an_unknown_name_gets_the_nearest(name: str, hint: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", name]) == 2
    err = capfd.readouterr().err
    assert err.startswith(f"dpcert: Expected a condition, a rung or a word but got name={name!r}; ")
    assert err.endswith(f"{hint}\n")
