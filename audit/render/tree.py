"""An adversary as a tree to read: the policy graph unfolded from its start, each node shown once."""

from collections.abc import Mapping
from typing import Any

from dpcert.audit.algebra.rational import parse
from dpcert.audit.frozen import frozen
from dpcert.audit.render.cells import Cell, number, plain, short
from dpcert.audit.render.words import Document, worlds

MOST_NODES_DRAWN = 40
"""Nodes of an adversary that a page unfolds."""
MOST_DEPTH = 8
"""Releases that an unfolded adversary goes down."""


@frozen
class Way:
    """What follows one observation: a further step, or the words that say how it ends."""

    sees: Cell
    ends: str
    after: "Submission | None"


@frozen
class Submission:
    """What the adversary submits at a node, and its ways on."""

    number: int
    submits: str
    ways: tuple[Way, ...]


@frozen
class Tree:
    """The part of a strategy that is shown, and how many nodes are not."""

    start: Submission | None
    left_out: int
    complete: bool
    played: bool = False

    @property
    def note(self) -> str:
        """What is not shown, in words; nothing when all is."""
        if self.start is None:
            played = "it was played forwards" if self.played else "its δ is the solver's value, not replayed"
            return f"It is too large to be written out; {played}."
        nodes = "1 more node" if self.left_out == 1 else f"{self.left_out} more nodes"
        missing = f"{nodes} in the JSON record." if self.left_out else ""
        cut = "" if self.complete else "The record itself holds only its first nodes."
        return f"{missing} {cut}".strip()


def tree(strategy: Mapping[str, Any], most_nodes: int = MOST_NODES_DRAWN, most_depth: int = MOST_DEPTH) -> Tree:
    """The first nodes of the policy graph; one that was reached before is named by its number."""
    unfolding = _Unfolding(strategy, most_nodes, most_depth)
    start = unfolding.step(0, 1) if strategy["nodes"] else None
    return Tree(
        start, len(strategy["nodes"]) - len(unfolding.shown), strategy["complete"], bool(strategy.get("replayed"))
    )


def chosen(document: Document) -> Mapping[str, Any] | None:
    """The strategy to show first: the one behind the verdict, or else the one that wins most."""
    witness = document["lifts"]["curve"].get("witness", {})
    live = winning(document)
    for strategy in live:
        if (strategy["exp_epsilon"], strategy["order"]) == (witness.get("exp_epsilon"), witness.get("order")):
            return strategy
    return max(live, key=lambda s: parse(s["delta"], "delta"), default=None)


def winning(document: Document) -> list[Mapping[str, Any]]:
    """The strategies that win anything."""
    return [s for s in document["adaptive"]["strategies"] if parse(s["delta"], "delta") > 0]


class _Unfolding:
    """Walks the graph depth first over the nodes with small numbers; numbers grow with the round."""

    def __init__(self, strategy: Mapping[str, Any], most_nodes: int, most_depth: int) -> None:
        self.nodes = {node["id"]: node for node in strategy["nodes"]}
        self.allowed = set(sorted(self.nodes)[:most_nodes])
        self.most_depth = most_depth
        self.bet = worlds(strategy["order"])[0]
        self.shown: set[int] = set()

    def step(self, at: int, depth: int) -> Submission:
        """The node and everything below it that is shown."""
        self.shown.add(at)
        node = self.nodes[at]
        return Submission(at, _submits(node), tuple(self._way(branch, depth) for branch in node["branches"]))

    def _way(self, branch: Mapping[str, Any], depth: int) -> Way:
        after, sees = branch["next"], _sees(branch)
        if after is None:
            ends = f"stops: bets on world {self.bet} (in the event S)" if branch["in_event"] else "stops: outside S"
            return Way(sees, ends, None)
        if after in self.shown:
            return Way(sees, f"goes on as at node {after}, above", None)
        if after not in self.nodes:
            return Way(sees, f"goes on at node {after}, which the record leaves out", None)
        if after not in self.allowed or depth >= self.most_depth:
            return Way(sees, f"goes on at node {after}, in the JSON record", None)
        return Way(sees, "", self.step(after, depth + 1))


def _submits(node: Mapping[str, Any]) -> str:
    x0, *between, x1 = map(plain, node["pair"])
    if between:
        return (
            f"Round {node['round']}: submit {', '.join([x0, *between, x1])}, the first in world 0, the last in world 1"
        )
    what = f"{x0} in both worlds" if x0 == x1 else f"{x0} in world 0 and {x1} in world 1"
    return f"Round {node['round']}: submit {what}"


def _sees(branch: Mapping[str, Any]) -> Cell:
    p0, p1 = branch["probability"]
    chance = f"{short(p0)} in both worlds" if p0 == p1 else f"{short(p0)} in world 0, {short(p1)} in world 1"
    full = f"{p0} in world 0, {p1} in world 1" if number(p0).full or number(p1).full else ""
    return Cell(f"sees {plain(branch['observation'])} (probability {chance})", full=full)
