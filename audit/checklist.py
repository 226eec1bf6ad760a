"""Checklist 1 for one mechanism: five findings, the fourth with its ladder of certificates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dpcert.audit.analysis import Analysis
from dpcert.audit.budget import Budget, OutOfBudget
from dpcert.audit.decompose import Rung, ladder, strongest
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.game import Game
from dpcert.audit.label import label
from dpcert.audit.pmf import Pmf
from dpcert.audit.question import Question
from dpcert.audit.view import Core, View

MOST_POSITIONS = 20_000
"""Positions past which the ladder is not climbed."""


@dataclass(frozen=True)
class Entry:
    """One condition of Checklist 1: what was found, and for STABLE_COST the ladder and its strongest rung."""

    item: Item
    finding: Finding
    rungs: tuple[Rung, ...] = ()

    @property
    def rung(self) -> str | None:
        """The name of the strongest rung that holds."""
        found = strongest(self.rungs)
        return None if found is None else found.name

    def document(self) -> dict[str, Any]:
        """The entry as it stands in a record."""
        rungs = [{"rung": rung.name, **rung.finding.document()} for rung in self.rungs]
        return {"item": self.item.value, **self.finding.document(), "rung": self.rung, "rungs": rungs}


def checklist(
    view: View, game: Game, question: Question, found: Analysis, scope: str, budget: Budget
) -> tuple[Entry, ...]:
    """The five conditions in order. Source: paper.tex, sec:cert.

    Items 1 to 3 and 5 hold for a core by the way it is written; whether its laws are laws at all is checked by asking
    for them again. Mechanisms with hidden state are not examined by this version.
    """
    if not isinstance(view, Core):
        unknown = Finding(Verdict.UNDECIDED, None, scope, "hidden state: not examined yet")
        return tuple(Entry(item, unknown) for item in Item)
    pure = _pure(view, game.laws(), scope)
    cost = _stable_cost(view, question, found, scope, budget) if pure.verdict is Verdict.HOLDS else None
    return (
        Entry(
            Item.PREFIX_DEPENDENCE, _by_construction(scope, "A core's law is given the inputs so far and no others.")
        ),
        Entry(Item.FRESH_RANDOMNESS, _by_construction(scope, "Every round of a core draws from its own law.")),
        Entry(Item.DETERMINISTIC_MAP, pure),
        cost or Entry(Item.STABLE_COST, _open(scope, "the laws are not the same at every asking")),
        Entry(Item.POST_PROCESSING, _by_construction(scope, "What is released is the core itself.")),
    )


def _by_construction(scope: str, detail: str) -> Finding:
    return Finding(Verdict.HOLDS, Method.BY_CONSTRUCTION, scope, detail)


def _pure(core: Core, laws: Iterable[tuple[Any, Pmf[Any]]], scope: str) -> Finding:
    """Whether a second asking, in reverse order, gives every law again."""
    asked = list(laws)
    for state, law in reversed(asked):
        again = core.law(state)
        if again != law:
            return Finding(
                Verdict.REFUTED,
                Method.EXHAUSTIVE,
                scope,
                f"The law of state {label(state)} changed between two askings.",
                {"state": label(state), "laws": [label(law), label(again)]},
            )
    detail = f"All {len(asked)} laws were asked for twice, in two orders, and were the same."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def _stable_cost(core: Core, question: Question, found: Analysis, scope: str, budget: Budget) -> Entry:
    """STABLE_COST by the strongest rung that holds; refuted where every rung is."""
    whole = question.adjacency == "hamming" and question.hops == 1 and question.challenge_round is None
    if not whole:
        return Entry(Item.STABLE_COST, _open(scope, "decided for Hamming neighbours that may differ in any round"))
    if found.stopped is not None or found.solution.positions > MOST_POSITIONS:
        return Entry(Item.STABLE_COST, _open(scope, "the game is too large for the ladder"))
    try:
        rungs = ladder(core, found.solution.levels, found.fixed, scope, budget)
    except (OutOfBudget, KeyboardInterrupt) as reason:
        return Entry(Item.STABLE_COST, _open(scope, f"the ladder was cut short: {reason or 'interrupted'}"))
    best = strongest(rungs)
    if best is not None:
        detail = f"{best.name}: {best.finding.detail}"
        return Entry(Item.STABLE_COST, Finding(Verdict.HOLDS, best.finding.method, scope, detail), rungs)
    if all(rung.finding.verdict is Verdict.REFUTED for rung in rungs):
        first = rungs[0].finding
        detail = "No rung of the ladder holds: a separate, interaction-aware argument is needed."
        return Entry(Item.STABLE_COST, Finding(Verdict.REFUTED, first.method, scope, detail, first.witness), rungs)
    return Entry(Item.STABLE_COST, _open(scope, "no rung of the ladder was found to hold"), rungs)


def _open(scope: str, detail: str) -> Finding:
    return Finding(Verdict.UNDECIDED, None, scope, detail)
