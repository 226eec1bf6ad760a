"""What rests on what: a claim is worth no more than the weakest statement it uses."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from dpcert.audit.errors import ArgumentError, one_line
from dpcert.proofs_checked.ledger import Claim, LedgerError, Standing

if TYPE_CHECKING:
    import networkx as nx

WEAKEST_FIRST = (
    Standing.REFUTED,
    Standing.UNDECIDED,
    Standing.AMBIGUOUS,
    Standing.CONDITIONAL,
    Standing.CITED,
    Standing.HOLDS,
)


def parents(entry: Claim, claims: Mapping[str, Claim]) -> list[str]:
    """The ids that a claim uses directly; a label stands for all the claims under it.

    Raises: LedgerError: a label or id that no claim has.
    """
    names: list[str] = []
    for use in entry.uses:
        ids = [use] if use in claims else [other.id for other in claims.values() if other.label == use]
        ids = [other for other in ids if other != entry.id]
        if not ids:
            raise LedgerError(f"Expected the label or id of a claim but got uses={use} in {entry.id}")
        names.extend(ids)
    return names


def resting(claims: Mapping[str, Claim]) -> "nx.DiGraph[str]":
    """The graph of the ledger: an edge from each claim to every claim that it uses directly.

    Raises: LedgerError: a circle; a label or id that no claim has.
    """
    import networkx as nx  # slow to import: only a ledger that is checked pays for it

    graph: nx.DiGraph[str] = nx.DiGraph([(name, used) for name in claims for used in parents(claims[name], claims)])
    graph.add_nodes_from(claims)
    if not nx.is_directed_acyclic_graph(graph):
        circle = [name for name, _ in nx.find_cycle(graph)]
        raise LedgerError(f"Expected claims that do not rest on themselves but got {' -> '.join((*circle, circle[0]))}")
    return graph


def ancestors(names: Iterable[str], claims: Mapping[str, Claim]) -> list[str]:
    """The ids and everything they rest on. Raises: LedgerError: a circle."""
    import networkx as nx

    graph, ids = resting(claims), set(names)
    return sorted(ids.union(*(nx.descendants(graph, name) for name in ids)))


def transitive(direct: Mapping[str, Standing], claims: Mapping[str, Claim]) -> dict[str, Standing]:
    """The weakest standing among a claim and everything it rests on. Raises: LedgerError: a circle."""
    import networkx as nx

    graph, weakest = resting(claims), dict.fromkeys(claims, Standing.UNDECIDED) | dict(direct)
    for name in reversed(list(nx.topological_sort(graph))):
        weakest[name] = min((weakest[other] for other in (name, *graph[name])), key=WEAKEST_FIRST.index)
    return {name: weakest[name] for name in claims}


def named(names: Collection[str], claims: Mapping[str, Claim]) -> list[Claim]:
    """The claims with an id, a label, a function name or a row among `names`; all of them if there are none.

    Raises: ArgumentError: a name that no claim has.
    """
    for name in names:
        if not any(_is_named(entry, name) for entry in claims.values()):
            raise ArgumentError(f"Expected the id, label or row of a claim but got name={one_line(name)!r}")
    return [entry for entry in claims.values() if not names or any(_is_named(entry, name) for name in names)]


def _is_named(entry: Claim, name: str) -> bool:
    return name in (entry.id, entry.label, entry.name) or (entry.row is not None and name == str(entry.row))
