"""Adversaries played on a mechanism, against probabilities by hand; what is none is refused."""

from fractions import Fraction
from typing import Any

import pytest

from dpcert import HAMMING, Draw, Pmf, Release, bernoulli
from dpcert.audit.errors import ReplayError
from dpcert.audit.kernels.view import core_of, view_of
from dpcert.audit.solving.replay import Replay, replay
from dpcert.audit.solving.strategy import Branch, Node, Strategy

QUARTER = Fraction(1, 4)
ANY = Fraction(0)
"""In place of a probability: those of a branch are for readers, and a replay works them out anew."""


class Response:
    """Each input, flipped with probability 1/4."""

    alphabet = (0, 1)

    def law(self, prefix: tuple[int, ...]) -> Pmf[int]:
        return bernoulli(1 - QUARTER if prefix[-1] else QUARTER)


class OneCoin:
    """Each input behind one coin for all rounds."""

    alphabet = (0, 1)
    initial = None

    def step(self, state: int | None, x: int, draw: Draw) -> tuple[Release[int, None], int]:
        coin = draw(bernoulli(QUARTER)) if state is None else state
        return Release(coin ^ x), coin


def node(round_: int, pair: tuple[int, int], *ends: int | bool | None) -> Node:
    """A node that goes on at a number, or stops with a bet or without one, after 0, 1, ...; None for no branch."""
    branches = tuple(
        Branch(y, ANY, ANY, None if isinstance(end, bool) else end, end if isinstance(end, bool) else None)
        for y, end in enumerate(ends)
        if end is not None
    )
    return Node(round_, (), (1, -1), pair, branches)


def played(mechanism: Any, *nodes: Node, horizon: int = 3, exp_epsilon: Fraction = Fraction(1)) -> Replay:
    return replay(Strategy(exp_epsilon, "1-0", ANY, nodes), mechanism, HAMMING, horizon)


CORE = core_of(Response())
HIDDEN = view_of(OneCoin())


def test_the_event_has_the_probabilities_of_its_transcripts() -> None:
    found = played(CORE, node(1, (0, 1), 1, True), node(2, (0, 0), False, True))
    assert found == Replay(QUARTER + 3 * QUARTER * QUARTER, 3 * QUARTER + QUARTER * QUARTER)
    assert found.delta(Fraction(3, 2), "1-0") == Fraction(13, 16) - Fraction(3, 2) * Fraction(7, 16)
    assert found.delta(Fraction(3, 2), "0-1") == Fraction(7, 16) - Fraction(3, 2) * Fraction(13, 16)
    later = played(CORE, node(1, (0, 0), 1, 2), node(2, (0, 1), False, True), node(2, (1, 0), True, False))
    assert later == Replay(3 * QUARTER * QUARTER + QUARTER * QUARTER, 3 * QUARTER * 3 * QUARTER + QUARTER * 3 * QUARTER)


def test_histories_that_share_a_node_add_up() -> None:
    shared = played(CORE, node(1, (0, 1), 1, 1), node(2, (0, 0), False, True))
    assert shared == Replay(QUARTER, QUARTER)


def test_what_is_hidden_goes_on_with_its_history() -> None:
    """After an output of 0 the coin is 0 in world 0 and 1 in world 1, and the next round shows it."""
    found = played(HIDDEN, node(1, (0, 1), 1, False), node(2, (0, 0), True, False))
    assert found == Replay(1 - QUARTER, Fraction(0))
    found = played(HIDDEN, node(1, (0, 1), 1, False), node(2, (0, 0), False, True))
    assert found == Replay(Fraction(0), QUARTER)


def test_without_nodes_all_or_nothing_is_bet_on() -> None:
    assert played(CORE, exp_epsilon=Fraction(1)) == Replay(Fraction(0), Fraction(0))
    assert played(CORE, exp_epsilon=Fraction(1, 2)) == Replay(Fraction(1), Fraction(1))


@pytest.mark.parametrize(
    ("says", "nodes", "horizon"),
    [
        ("round 2: the pair .* is not legal", (node(1, (0, 1), 1, 1), node(2, (0, 1), True, True)), 3),
        ("round 1: the pair .* is not legal", (node(1, (0, 2), True, True),), 3),
        ("round 1: no branch for the observation 1", (node(1, (0, 1), True, None),), 3),
        ("at most 1 rounds but a node plays round 2", (node(1, (0, 1), 1, True), node(2, (0, 0), True, False)), 1),
        (
            "node 3 stands for two positions",
            (node(1, (0, 0), 1, 2), node(2, (0, 1), 3, True), node(2, (0, 0), 3, True), node(3, (0, 0), True, False)),
            3,
        ),
    ],
)
def test_what_is_no_adversary_is_refused(says: str, nodes: tuple[Node, ...], horizon: int) -> None:
    with pytest.raises(ReplayError, match=says):
        played(CORE, *nodes, horizon=horizon)


def test_a_mechanism_is_asked_once_for_all_replays_that_share_its_kernels() -> None:
    kernels: dict[Any, Any] = {}
    strategy = Strategy(Fraction(1), "1-0", ANY, (node(1, (0, 1), False, True),))
    first = replay(strategy, CORE, HAMMING, 1, kernels)
    assert len(kernels) == 2
    known = dict(kernels)
    assert replay(strategy, CORE, HAMMING, 1, kernels) == first == Replay(QUARTER, 3 * QUARTER)
    assert kernels == known
