"""Checklist 1 for one mechanism: five findings, the fourth with its ladder of certificates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.common_laws import from_weights
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.checklist.ladder import Rung, Whole, ladder, strongest
from dpcert.audit.checklist.subject import Subject
from dpcert.audit.finding import Finding, FindingDocument, Item, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Game, Level, PairedGame, explore
from dpcert.audit.games.question import Question
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.draws import within
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.prefix_laws import PrefixLaws
from dpcert.audit.kernels.view import View
from dpcert.audit.relations.adjacency import HAMMING, UNIT_HAMMING, Adjacency
from dpcert.audit.solving.analysis import Analysis, analyse, left
from dpcert.audit.steadiness.answers_alike import steadied
from dpcert.audit.steadiness.watched import WatchedMechanism

if TYPE_CHECKING:
    from dpcert.audit.checklist.additive import Additive

MOST_POSITIONS = 20_000
"""Positions past which the ladder is not climbed."""
MOST_ROUNDS_ANEW = 64
"""Rounds past which the ladder is not climbed of a game that was enclosed."""
TOO_LARGE = (
    f"the game is too large for the ladder (at most {MOST_POSITIONS} positions, MOST_POSITIONS, and "
    f"{MOST_ROUNDS_ANEW} rounds where it is enclosed, MOST_ROUNDS_ANEW)"
)
LOOKED_AT = 64
"""Rounds at least of which a linear core's weights and noise are looked at for every horizon."""
MOST_ROUNDS_ALIVE = 128
"""Rounds of a live run in a fresh process where a theorem gives the curve of very many."""
LADDERS: tuple[Adjacency[Any], ...] = (HAMMING, UNIT_HAMMING)
"""Relations of streams that differ in one round, by a pair that does not depend on the rounds before."""
FIRST_THREE = (Item.PREFIX_DEPENDENCE, Item.FRESH_RANDOMNESS, Item.DETERMINISTIC_MAP)


class RungDocument(FindingDocument):
    """A rung of the ladder as it stands in a record."""

    rung: str


class EntryDocument(FindingDocument):
    """A condition of Checklist 1 as it stands in a record."""

    item: str
    rung: str | None
    rungs: list[RungDocument]


@frozen
class Entry:
    """One condition of Checklist 1: what was found; for STABLE_COST also its ladder, and the strongest rung of it."""

    item: Item
    finding: Finding
    rungs: tuple[Rung, ...] = ()
    rung: str | None = None

    def document(self) -> EntryDocument:
        """The entry as it stands in a record."""
        rungs: list[RungDocument] = [{"rung": rung.name, **rung.finding.document()} for rung in self.rungs]
        return {"item": self.item.value, **self.finding.document(), "rung": self.rung, "rungs": rungs}


def checklist(
    subject: Subject,
    game: Game[Any] | OfflineGame,
    question: Question,
    analysis: Analysis,
    scope: str,
    budget: Budget,
    whole: Whole | None = None,
    watch: WatchedMechanism | None = None,
    additive: "Additive | None" = None,
) -> tuple[Entry, ...]:
    """The five conditions in order. Source: paper.tex, sec:cert.

    A core's laws are asked for again, to see whether they are laws at all. STABLE_COST is decided of the core that the
    mechanism is, where conditions 1 to 3 hold; for every horizon at once where the question asks for it. `additive` has
    the curve of more rounds than were played, all of which are looked at.
    """
    findings = dict(subject.findings)
    if Item.DETERMINISTIC_MAP not in findings and subject.core is not None:
        rest = left(analysis, budget)
        with best_so_far(rest) as part, within(rest.check):
            pure = _pure(subject.played, game.laws(), scope)
            findings[Item.DETERMINISTIC_MAP] = _steady(
                subject.core.linear, _looked_at(subject.core, question, additive), pure
            )
        if part.stopped:
            findings[Item.DETERMINISTIC_MAP] = _open(scope, f"the laws were not all asked for again: {part.stopped}")
    if watch is not None and subject.asked is not None and Item.DETERMINISTIC_MAP in findings:
        budget.progress("comparing live runs in fresh processes")
        findings[Item.DETERMINISTIC_MAP] = steadied(
            watch,
            subject.asked,
            findings[Item.DETERMINISTIC_MAP],
            subject.inputs,
            question.rounds if additive is None else min(additive.tensor.horizon, MOST_ROUNDS_ALIVE),
            scope,
            left(analysis, budget),
        )
    cost = _stable_cost(subject, findings, question, analysis, scope, budget, whole, additive)
    return tuple(cost if item is Item.STABLE_COST else Entry(item, findings[item]) for item in Item)


def _pure(view: View, laws: Iterable[tuple[Any, Pmf[Any]]], scope: str) -> Finding:
    """Whether a second asking, in reverse order, gives every law again."""
    count, changed = _changed(view, laws)
    if changed is not None:
        state, law, again = changed
        return Finding(
            Verdict.REFUTED,
            Method.EXHAUSTIVE,
            scope,
            f"The law of state {label(state)} changed between two askings.",
            {"state": label(state), "laws": [label(law), label(again)]},
        )
    steps = view.steps() if isinstance(view, Core) else []
    for state, x, after in reversed(steps):
        again = view.advance_again(state, x) if isinstance(view, Core) else after
        if again != after:
            return Finding(
                Verdict.REFUTED,
                Method.EXHAUSTIVE,
                scope,
                f"The state after state {label(state)} and input {label(x)} changed between two askings.",
                {"state": label(state), "input": label(x), "states": [label(after), label(again)]},
            )
    what = f"laws and {len(steps)} steps" if steps else "laws"
    detail = f"All {count} {what} were asked for twice, in two orders, and were the same."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def _changed(view: View, laws: Iterable[tuple[Any, Pmf[Any]]]) -> tuple[int, tuple[Any, Pmf[Any], Pmf[Any]] | None]:
    """How many laws there are, and the first that is another one when they are asked for again, the last one first."""
    if isinstance(view, Core) and isinstance(laws, PrefixLaws):
        return len(laws), (view.whole or view).changed_prefix()
    once = list(laws)
    asked = ((state, law, _asked_again(view, state)) for state, law in reversed(once))
    return len(once), next((entry for entry in asked if entry[1] != entry[2]), None)


def _steady(linear: Linear | None, rounds: int, pure: Finding) -> Finding:
    """The same of the weights and the noise that the laws of a linear core are made of."""
    if linear is None or pure.verdict is not Verdict.HOLDS:
        return pure
    change = linear.changed(rounds)
    if change is None:
        asked = f"{linear.members} of rounds 1 to {integer_text(rounds)}, which all laws are made of,"
        beside = linear.taken_for_granted(rounds)
        return replace(pure, detail=f"{asked} were asked for twice, in two orders, and were the same.{beside}")
    member, first, again = change
    detail = f"{member} changed between two askings: {label(first)}, then {label(again)}."
    witness = {"state": member, "laws": [label(first), label(again)]}
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, pure.scope, detail, witness)


def _by_form(core: Core, question: Question, additive: "Additive | None") -> tuple[Rung, ...]:
    """The rungs that additive noise has by the way it is written."""
    if core.linear is None:
        return ()
    from dpcert.audit.checklist.by_form import symbolic

    return tuple(symbolic(core, _looked_at(core, question, additive), rises=additive is not None and additive.rises))


def _looked_at(core: Core, question: Question, additive: "Additive | None") -> int:
    """The rounds that are asked for again: some more than are played where it is about every one, as far as any are
    told."""
    if additive is not None:
        return additive.tensor.horizon
    if not question.every_horizon:
        return question.rounds
    untold = None if core.linear is None else core.linear.first_untold
    return max(question.rounds, LOOKED_AT if untold is None else min(LOOKED_AT, untold - 1))


def _asked_again(view: View, place: Any) -> Pmf[Any]:
    """The law that a game names by a state, or by a state and an input where a core's own `publish` made it hidden."""
    if isinstance(view, Core):
        return view.law_again(place)
    state, x = place
    return from_weights({(visible, after): w for visible, after, w in view.kernel_again(state, x).entries})


def _stable_cost(
    subject: Subject,
    findings: Mapping[Item, Finding],
    question: Question,
    analysis: Analysis,
    scope: str,
    budget: Budget,
    whole: Whole | None,
    additive: "Additive | None",
) -> Entry:
    """STABLE_COST of the core, by its ladder."""
    missing = [item.value for item in FIRST_THREE if findings[item].verdict is not Verdict.HOLDS]
    if missing or subject.core is None:
        return Entry(Item.STABLE_COST, _open(scope, f"there is no core to examine without {', '.join(missing)}"))
    relation = question.neighbours
    if relation not in LADDERS or question.hops != 1 or question.challenge_round is not None:
        known = f"decided for neighbours ({', '.join(one.name for one in LADDERS)}) that may differ in any one round"
        return Entry(Item.STABLE_COST, _open(scope, known))
    by_form = _by_form(subject.core, question, additive)
    if by_form and analysis.stopped is not None:
        return _by_strongest(by_form, question, scope)
    if subject.played is not subject.core:
        analysis = analyse(PairedGame(subject.core, relation, question.rounds), budget)
    levels = _levels(subject.core, relation, question.rounds, analysis, budget)
    if levels is None:
        if by_form:
            return _by_strongest(by_form, question, scope)
        return Entry(Item.STABLE_COST, _open(scope, TOO_LARGE))
    with best_so_far(budget) as part, within(budget.check):
        rungs = ladder(subject.core, levels, analysis.fixed, scope, budget, subject.hints, whole, by_form)
        return _by_strongest(rungs, question, scope)
    if by_form:
        return _by_strongest(by_form, question, scope)
    return Entry(Item.STABLE_COST, _open(scope, f"the ladder was cut short: {part.stopped}"))


def _levels(
    core: Core, relation: Adjacency[Any], rounds: int, analysis: Analysis, budget: Budget
) -> Sequence[Level] | None:
    """All levels of the game, where they are few enough for the ladder; those of an enclosed game are explored anew."""
    if analysis.stopped is None:
        return analysis.solution.levels if analysis.solution.positions <= MOST_POSITIONS else None
    if not analysis.enclosed or rounds > MOST_ROUNDS_ANEW:
        return None
    few = replace(left(analysis, budget), max_positions=min(budget.max_positions or MOST_POSITIONS, MOST_POSITIONS))
    whole = explore(PairedGame(core, relation, rounds), few)
    return whole.levels if whole.stopped is None else None


def _by_strongest(rungs: tuple[Rung, ...], question: Question, scope: str) -> Entry:
    """STABLE_COST by the strongest rung that holds, for every horizon where the question asks for that."""
    asked_of = tuple(rung for rung in rungs if rung.every_horizon) if question.every_horizon else rungs
    best = strongest(asked_of)
    if best is not None:
        detail = f"{best.name}: {best.finding.detail}"
        holds = Finding(Verdict.HOLDS, best.finding.method, best.finding.scope, detail)
        return Entry(Item.STABLE_COST, holds, rungs, best.name)
    if all(rung.finding.verdict is Verdict.REFUTED for rung in rungs):
        first = rungs[0].finding
        detail = "No rung of the ladder holds: a separate, interaction-aware argument is needed."
        return Entry(Item.STABLE_COST, Finding(Verdict.REFUTED, first.method, scope, detail, first.witness), rungs)
    where = " for every horizon" if question.every_horizon else ""
    return Entry(Item.STABLE_COST, _open(scope, f"no rung of the ladder was found to hold{where}"), rungs)


def _open(scope: str, detail: str) -> Finding:
    return Finding(Verdict.UNDECIDED, None, scope, detail)
