"""The solver against the Storm model checker: exact maximal expected rewards on the tree of visible histories.

Storm gets the tree as an MDP, history by history, without beliefs, merging or pruning: every move leads to the
histories that can follow it, by chances that are the same in both worlds, and the reward of a complete history is
max(0, P0 - A P1) over its chance, so that an expected reward is the sum of max(0, P0 - A P1).

Storm runs in the environment that `make bench` sets up, or in the one whose Python DPCERT_PEERS names.
"""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from instances.hidden_state import random_interactive
from instances.random_core import noisy_core
from oracles.hidden import Hops as HopsPredicate
from oracles.hidden import hops, unit_hamming, zero_out
from oracles.linear_program import Leaf, Node, Turn, game_tree
from oracles.paired import Legal, Order, hamming, hamming_at, score

from dpcert import HALT, PowerFunction
from dpcert.audit.algebra.power import ORDERS
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.paired import explore
from dpcert.audit.kernels.view import view_of
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency, ChallengeAt, ZeroOut
from dpcert.audit.relations.hops import Hops
from dpcert.audit.solving.adaptive import solve
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.sparse_vector import SparseVector
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

pytestmark = pytest.mark.real("peers")

ROOT = Path(__file__).resolve().parents[3]
PYTHON = Path(os.environ.get("DPCERT_PEERS") or ROOT / ".venv-peers" / "bin" / "python")
SCRIPT = ROOT / "tests" / "benchmarks" / "peers" / "storm_games.py"
QUERIES: list[tuple[Fraction, Order]] = [
    (exp_epsilon, order) for exp_epsilon in (Fraction(1), Fraction(7, 5), Fraction(3)) for order in ORDERS
]
Mdp = dict[str, Any]
Weigh = Callable[[Node], Fraction]


def fair(node: Node) -> Fraction:
    """The histories that can follow a move are equally likely."""
    del node
    return Fraction(1)


def average(node: Node) -> Fraction:
    """They are as likely as when a fair coin chose the world."""
    return node.mass0 + node.mass1


@dataclass(frozen=True)
class Case:
    """A game as the package takes it, and its legal moves as the oracle takes them."""

    mechanism: Any
    horizon: int
    relation: Adjacency[Any] = HAMMING
    legal: Legal | HopsPredicate = hamming

    def power(self) -> PowerFunction:
        """The solver's answer, for all A and both orders."""
        return solve(explore(game_of(view_of(self.mechanism), self.relation, self.horizon))).power

    def tree(self) -> Turn:
        """The same game history by history."""
        return game_tree(self.mechanism, self.horizon, self.legal, halt=HALT)


def hidden(seed: int, inputs: int, states: int, visibles: int, allow_halt: bool) -> Any:
    """A random mechanism with hidden state."""
    return random_interactive(seed, inputs, states, visibles, allow_halt)[0]


CASES = {
    "core, 2 rounds": Case(noisy_core(9001, 2, 3, 2), 2),
    "core, 3 rounds, 3 outputs": Case(noisy_core(9003, 2, 3, 3), 3),
    "core, 4 rounds": Case(noisy_core(9000, 2, 2, 4), 4),
    "core, 3 inputs": Case(noisy_core(9017, 3, 2, 3), 3),
    "core, challenge in round 2": Case(noisy_core(9009, 2, 2, 3), 3, ChallengeAt(HAMMING, 2), hamming_at(2)),
    "core, unit-hamming": Case(noisy_core(9006, 3, 3, 2), 2, UNIT_HAMMING, unit_hamming),
    "core, zero-out": Case(noisy_core(9000, 3, 2, 3), 3, ZeroOut(null=0), zero_out(0)),
    "core, two hops": Case(noisy_core(9005, 2, 2, 3), 3, Hops(HAMMING, 2), hops(hamming, 2)),
    "hidden state, 2 rounds, halting": Case(hidden(9008, 2, 3, 3, True), 2),
    "hidden state, 3 rounds, halting": Case(hidden(9007, 2, 3, 2, True), 3),
    "hidden state, 4 rounds": Case(hidden(9013, 2, 2, 2, False), 4),
    "hidden state, 3 inputs": Case(hidden(9016, 3, 2, 2, False), 3),
    "hidden state, unit-hamming": Case(hidden(9008, 3, 3, 2, True), 2, UNIT_HAMMING, unit_hamming),
    "hidden state, zero-out": Case(hidden(9006, 2, 3, 2, False), 3, ZeroOut(null=1), zero_out(1)),
    "hidden state, two hops": Case(hidden(9009, 2, 2, 2, True), 3, Hops(HAMMING, 2), hops(hamming, 2)),
    "two-round": Case(TwoRound(), 2),
    "two-round-repeated, challenge in round 1": Case(TwoRoundRepeated(), 6, ChallengeAt(HAMMING, 1), hamming_at(1)),
    "two-round-repeated": Case(TwoRoundRepeated(), 6),
    "sparse-vector": Case(SparseVector(), 4),
    "clipped-sum": Case(ClippedSum(), 3),
}


def mdp_of(tree: Turn, weigh: Weigh) -> Mdp:
    """The MDP of a game: a state for every history, a choice for every move, rewards for every query."""
    choices: list[list[list[tuple[int, str]]]] = []
    rewards: dict[str, list[str]] = {name_of(*query): [] for query in QUERIES}

    def enter(node: Node, chance: Fraction) -> int:
        state = len(choices)
        choices.append([])
        if isinstance(node, Leaf):
            for query in QUERIES:
                rewards[name_of(*query)].append(str(score(node.mass0, node.mass1, *query) / chance))
            return state
        for nodes in node.options:
            shares = [weigh(after) / sum(map(weigh, nodes)) for after in nodes]
            transitions = [(enter(n, chance * share), str(share)) for n, share in zip(nodes, shares, strict=True)]
            choices[state].append(transitions)
        return state

    enter(tree, Fraction(1))
    return {"choices": choices, "rewards": rewards}


def name_of(exp_epsilon: Fraction, order: Order) -> str:
    """The name of a query."""
    return f"{exp_epsilon} {order}"


@cache
def absent() -> str:
    """Why Storm cannot run; empty when it can."""
    if not PYTHON.exists():
        return f"the peers' environment is missing, no {PYTHON}: `make bench` sets it up, or set DPCERT_PEERS"
    done = subprocess.run([str(PYTHON), "-c", "import stormpy"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{PYTHON} has no stormpy: {done.stderr.strip().splitlines()[-1]}"


def storm(mdps: list[Mdp]) -> list[dict[str, Fraction]]:
    """Storm's exact values, by the names of the queries."""
    command = [str(PYTHON), str(SCRIPT)]
    done = subprocess.run(command, input=json.dumps(mdps), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [{name: Fraction(value) for name, value in values.items()} for values in json.loads(done.stdout)]


@pytest.fixture(autouse=True)
def _peers() -> None:
    if reason := absent():
        pytest.skip(reason)


@pytest.mark.parametrize("name", CASES)
def test_storm_finds_the_same_hockey_sticks(name: str) -> None:
    case = CASES[name]
    tree, power = case.tree(), case.power()
    for values in storm([mdp_of(tree, fair), mdp_of(tree, average)]):
        assert values == {name_of(*query): power.hockey_stick(*query) for query in QUERIES}


def test_storm_finds_the_papers_value() -> None:
    """The two-round mechanism: 991/10000 against adaptive adversaries."""
    (values,) = storm([mdp_of(CASES["two-round"].tree(), fair)])
    assert values["1 0-1"] == values["1 1-0"] == Fraction(991, 10000)


# ---------------------------------------------------------------- these tests can fail


def test_a_lost_move_or_a_changed_reward_is_noticed() -> None:
    """Mutants of the MDP: without one of the root's moves, or with a thousandth more for every history."""
    case = CASES["two-round"]
    power = case.power().hockey_stick(1, "0-1")
    whole = case.tree()
    fewer = [Turn(whole.mass0, whole.mass1, (move,)) for move in whole.options]
    values = [v["1 0-1"] for v in storm([mdp_of(tree, fair) for tree in fewer])]
    assert max(values) == power
    assert min(values) < power
    paid = mdp_of(whole, fair)
    rewards = paid["rewards"]["1 0-1"]
    rewards[:] = [str(Fraction(reward) + Fraction(1, 1000)) for reward in rewards]
    assert storm([paid])[0]["1 0-1"] == power + Fraction(1, 1000)


@pytest.mark.parametrize("share", ["1/3", "-1/2", "2"])
def test_a_choice_that_is_no_law_is_refused(share: str) -> None:
    mdp: Mdp = {"choices": [[[(1, "1/2"), (2, share)]], [], []], "rewards": {"one": ["0", "1"]}}
    done = subprocess.run([str(PYTHON), str(SCRIPT)], input=json.dumps([mdp]), capture_output=True, text=True)
    assert done.returncode == 1
    assert "expected transitions that add up to 1" in done.stderr
