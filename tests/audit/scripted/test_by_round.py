"""Code that is called round by round is asked once for what its rounds so far can depend on, and answers the same."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from dpcert import Scripted, examine, scripted
from dpcert.audit.identity import parts_of
from dpcert.audit.kernels import view
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import any_view_of
from dpcert.audit.scripted.by_state import StateExplorer
from dpcert.audit.scripted.unknown import Unknown


class Count:
    """A count, and a step up, down or none."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.count = rng, 0

    def __call__(self, x: int) -> int:
        self.count += x
        return self.count + self.rng.choice((-1, 0, 0, 1))


class Turns(Count):
    """Draws until it likes what it drew."""

    def __call__(self, x: int) -> int:
        while (drawn := self.rng.randrange(3)) == 2:
            pass
        return drawn ^ x


class Sticky(Count):
    """A coin of the first round answers for the next one too, so that seeds of one round are not enough."""

    coin: int | None = None

    def __call__(self, x: int) -> int:
        self.coin = self.rng.randrange(2) if self.coin is None else self.coin
        return self.coin ^ x


class Remembers(Count):
    """What one run leaves behind another one answers."""

    left = 0

    def __call__(self, x: int) -> int:
        Remembers.left += 1
        return self.rng.randrange(2) ^ x ^ (Remembers.left > 9)


def unmerged(_: StateExplorer) -> Any:
    raise Unknown("as where states are not merged")


def seen(factory: Callable[[random.Random], Any]) -> dict[str, Any]:
    """The record, without when it was made and how many questions were asked."""
    document = dict(examine(scripted(factory, alphabet=(0, 1)), horizon=2).document)
    del document["provenance"]
    return document | {"checklist": [{**one, "detail": "", "rungs": []} for one in document["checklist"]]}


@pytest.mark.in_turns
@pytest.mark.parametrize("factory", [Count, Turns, Sticky])
def test_findings_are_those_of_every_seed_and_stream(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StateExplorer, "found", unmerged)
    by_round = seen(factory)
    monkeypatch.setattr(view, "BY_ROUND", object())
    assert not as_code(scripted(factory, alphabet=(0, 1))).by_round
    assert by_round == seen(factory)


def as_code(mechanism: Scripted) -> Code:
    code = any_view_of(mechanism)
    assert isinstance(code, Code)
    return code


def test_seeds_of_rounds_to_come_are_none_of_a_question() -> None:
    code = as_code(scripted(Count, alphabet=(0, 1)))
    asked = {code.question(seeds, (1,)) for seeds in code.seeds(3).token_weights()[0]}
    assert len(asked) == 4
    assert all(len(parts_of(seeds)) == 1 for seeds, _ in asked)


@pytest.mark.in_turns(few=True)
def test_an_heir_of_scripted_code_is_taken_by_its_word_alone() -> None:
    """It may respond to all of a stream at once."""

    class Backwards(Scripted):
        def respond(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
            return super().respond(seeds[::-1], stream[::-1])[::-1]

    heir = Backwards(Count, (0, 1))
    assert not as_code(heir).by_round
    record = examine(heir, horizon=2)
    assert next(one for one in record["checklist"] if one["item"] == "PREFIX_DEPENDENCE")["verdict"] == "REFUTED"


def test_what_a_run_leaves_behind_is_found_all_the_same() -> None:
    Remembers.left = 0
    found = {
        one["item"]: one["verdict"] for one in examine(scripted(Remembers, alphabet=(0, 1)), horizon=2)["checklist"]
    }
    assert found["DETERMINISTIC_MAP"] == "REFUTED"
