"""Of random programs on events the npp game says what brute force on values says, or it refuses them."""

import sys
import warnings
from collections import Counter
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any

import pytest
from instances.npp_programs import Maker
from instances.seeds import chosen
from oracles.npp_values import Broken, largest_deltas

from dpcert.audit.budget import Budget
from dpcert.audit.errors import MechanismError
from dpcert.audit.games.npp import npp_game, simulated
from dpcert.audit.solving.analysis import analyse

SLOPES = (Fraction(1), Fraction(2))
HELD = (14, 57, 96, 1033, 1115)
"""Seeds of programs that leak and of which it said that they do not."""


def written(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Six mechanisms in a file, as a user has them."""
    random, name = Random(seed), f"npp_program_{seed}"
    text = Maker(random, random.choice((0.0, 0.3, 0.3, 0.6, 1.0))).module([f"M{n}" for n in range(6)])
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return [getattr(module, f"M{n}")() for n in range(6)]


def outcome(mechanism: Any, rounds: int) -> str:
    """Whether it is refused, or what is said is true: of fixed streams exactly, and no less of adaptive ones."""
    try:
        analysis = analyse(npp_game(simulated(mechanism), rounds), Budget())
    except MechanismError:
        return "refused"
    if analysis.stopped:
        return "undecided"
    truth = largest_deltas(mechanism, mechanism.alphabet, rounds, SLOPES)
    assert [analysis.fixed.upper.delta(slope) for slope in SLOPES] == truth
    assert all(analysis.adaptive.lower.delta(slope) >= delta for slope, delta in zip(SLOPES, truth, strict=True))
    return "true"


@pytest.mark.parametrize("seed", chosen(range(24)))
@pytest.mark.in_turns(few=True)
def test_what_is_said_of_random_programs_is_true(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they ask of events may be odd
        said = Counter(outcome(mechanism, 2) for mechanism in written(seed, tmp_path, monkeypatch))
    assert said.total() == 6


@pytest.mark.parametrize("seed", HELD)
@pytest.mark.in_turns
def test_programs_that_held_and_leak_are_refused(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for mechanism in written(seed, tmp_path, monkeypatch):
            assert outcome(mechanism, 3 if len(mechanism.alphabet) == 5 else 2) in ("refused", "true")


def test_brute_force_tells_a_simulation_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = written(0, tmp_path, monkeypatch)[0]

    class Other(type(mechanism)):  # type: ignore[misc]
        def step(self, state: Any, x: Any, draw: Any) -> Any:
            release, after = super().step(state, x, draw)
            return type(release)(("other", release.visible), release.hidden), after

        def simulate(self, branch: int, state: Any, pair: Any, draw: Any) -> Any:
            release, after = super().step(state, pair[branch], draw)
            return type(release)(release.visible, (release.hidden, release.hidden)), after

    with pytest.raises(Broken):
        largest_deltas(Other(), mechanism.alphabet, 2, SLOPES)
