"""Draws of a probed generator have numpy's types and shapes; jax and torch samplers are replaced in one line."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.probe.generator import ProbedGenerator
from dpcert.mechanisms.probe.script import DrawPlace, Family, Script

CALLS = {
    "one": lambda g: g.normal(),
    "scaled": lambda g: g.normal(1.0, 2.0),
    "sized": lambda g: g.normal(size=(2, 3)),
    "scales": lambda g: g.normal(np.zeros(3), [1.0, 2.0, 3.0]),
    "standard": lambda g: g.standard_normal(4),
    "single": lambda g: g.standard_normal(4, dtype=np.float32),
    "out": lambda g: g.standard_normal(out=np.zeros(3)),
    "laplace": lambda g: g.laplace(0.0, 2.0, 5),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_scripted_draw_looks_like_numpys(call: str) -> None:
    real, scripted = CALLS[call](np.random.default_rng(1)), CALLS[call](ProbedGenerator(Script({})))
    assert type(real) is type(scripted)
    assert np.shape(real) == np.shape(scripted)
    assert np.asarray(real).dtype == np.asarray(scripted).dtype


def test_a_draw_is_location_plus_scale_times_the_script() -> None:
    script = Script({DrawPlace((), 1): 3.0})
    rng = ProbedGenerator(script)
    assert rng.normal([1.0, 1.0], [2.0, 0.5]).tolist() == [1.0, 2.5]
    assert rng.laplace(1.0, 4.0) == 1.0
    assert [draw.family for draw in script.draws.values()] == [Family.NORMAL, Family.NORMAL, Family.LAPLACE]
    assert np.random.default_rng(rng) is rng


def test_copies_draw_the_same_again_and_children_do_not() -> None:
    script = Script({DrawPlace((), 0): 1.0, DrawPlace((0,), 0): 2.0, DrawPlace((1,), 0): 3.0})
    rng = ProbedGenerator(script)
    others = [copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))]
    state = rng.bit_generator.state
    assert [g.normal() for g in (rng, *others)] == [1.0] * 4
    rng.bit_generator.state = state
    assert rng.normal() == 1.0
    assert [g.normal() for g in rng.spawn(2)] == [2.0, 3.0]
    assert len(script.draws) == 3
    assert script.repeated == {DrawPlace((), 0)}


JAX = """
import jax.numpy as jnp

class Summed:
    def __init__(self, normal):
        self.normal, self.total = normal, jnp.zeros(())

    def step(self, x):
        self.total = self.total + x + 2.0 * self.normal(())
        return self.total

def probed(rng):
    return Summed(lambda shape: jnp.asarray(rng.standard_normal(shape)))
"""
TORCH = """
import torch

class Summed:
    def __init__(self, normal):
        self.normal, self.total = normal, torch.zeros(())

    def step(self, x):
        self.total = self.total + x + 2.0 * self.normal(())
        return self.total

def probed(rng):
    return Summed(lambda shape: torch.as_tensor(rng.standard_normal(shape), dtype=torch.float32))
"""


@pytest.mark.parametrize(("library", "code"), [("jax", JAX), ("torch", TORCH)])
def test_samplers_of_others_in_one_line(
    library: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    monkeypatch.chdir(tmp_path)
    Path("code.py").write_text(code, encoding="utf-8")
    assert run(["probe", "code.py:probed", "--claim", "mu=1/2"]) == 0
    assert "mu = 0.5" in capfd.readouterr().out
