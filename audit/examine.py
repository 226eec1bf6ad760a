"""One audit from end to end: game, solver, fixed streams, adversaries, findings, record."""

import time
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dpcert.audit import digest, documents, lifts
from dpcert.audit.adjacency import ADJACENCIES, Adjacency, ChallengeAt
from dpcert.audit.documents import Question
from dpcert.audit.errors import expected
from dpcert.audit.finding import Item, worst
from dpcert.audit.fixed import fixed_stream
from dpcert.audit.game import PairedGame, explore
from dpcert.audit.label import label, parameters_of
from dpcert.audit.mechanism import Core, core_of
from dpcert.audit.power import ORDERS, PowerFunction
from dpcert.audit.rational import exact, text
from dpcert.audit.record import SCHEMA, Record
from dpcert.audit.solve import Solution, solve
from dpcert.audit.strategy import ReplayError, Search, replay
from dpcert.audit.targets import built_in_name

DEFAULT_HORIZON = 3
DEFAULT_EXP_EPSILONS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5), Fraction(10))
MOST_NODES = 5_000
MOST_NODES_IN_ALL = 20_000
"""Adversaries with more nodes than this, each and together, are not searched for to the end."""


def examine(
    mechanism: object,
    *,
    horizon: int | None = None,
    adjacency: str = "hamming",
    challenge_round: int | None = None,
    exp_epsilons: Iterable[Fraction | int] = DEFAULT_EXP_EPSILONS,
    epsilons: Iterable[Fraction | int] = (),
    deltas: Iterable[Fraction | int] = (),
    target: str | None = None,
) -> Record:
    """The exact privacy of a mechanism against fixed streams and against adaptive adversaries, as a record.

    Args:
        mechanism: A PrefixCore or MarkovCore.
        horizon: Rounds played; the mechanism's own, or 3.
        adjacency: The neighbouring relation, by name.
        challenge_round: The one round in which the streams differ (from 1); any round if None.
        exp_epsilons: Rational e^epsilon of at least 1 at which delta is given exactly, with an adversary.
        epsilons: Rational epsilon in nats, at which delta is enclosed.
        deltas: delta in [0, 1], for which epsilon is enclosed.
        target: The name that the record gives the mechanism.
    Raises: DpcertError: an argument or a mechanism that cannot be used; one line says what was expected.

    >>> from dpcert.mechanisms.two_round import TwoRound
    >>> record = examine(TwoRound())
    >>> record["fixed_stream"]["total_variation"], record["adaptive"]["total_variation"]
    ('9/100', '991/10000')
    """
    started = time.perf_counter()
    core = core_of(mechanism)
    question = _question(core, horizon, adjacency, challenge_round, exp_epsilons, epsilons, deltas)
    relation = _relation(question)
    game = PairedGame(core, relation, question.horizon)
    solution = solve(explore(game))
    fixed = fixed_stream(solution.levels)
    scope = scope_in_words(question)
    gap = lifts.find_gap(solution.power, fixed.power, list(question.exp_epsilons)) if fixed.complete else None
    findings = {
        "curve": lifts.curve(solution.power, fixed.power, gap, fixed.complete, scope),
        "pure": lifts.pure(solution.power, fixed.power, scope),
    }
    extra = () if gap is None or gap.exp_epsilon in question.exp_epsilons else (gap.exp_epsilon,)
    strategies = _strategies(solution, core, relation, question.horizon, (*question.exp_epsilons, *extra))
    document = {
        "schema": SCHEMA,
        "target": target or built_in_name(mechanism) or f"{type(mechanism).__module__}:{type(mechanism).__qualname__}",
        "parameters": {name: label(value) for name, value in parameters_of(mechanism).items()},
        "game": "paired",
        "vacuous": solution.power == PowerFunction.identity(),
        "source_digest": digest.source(mechanism),
        "kernel_digest": digest.kernel(game.laws()),
        "location": digest.location(mechanism),
        "scope": documents.scope(question, core.alphabet, solution.positions, scope),
        "fixed_stream": documents.fixed(fixed, solution.power, question),
        "adaptive": documents.curve(solution.power, question) | {"strategies": strategies},
        "checklist": [documents.not_examined(item, scope) for item in Item],
        "lifts": {name: finding.document() for name, finding in findings.items()},
        "bound": None,
        "requirements": [],
        "verdict": worst([findings["curve"].verdict]).value,
        "sections": [],
        "provenance": digest.provenance(time.perf_counter() - started),
    }
    return Record(document)


def _question(
    core: Core,
    horizon: int | None,
    adjacency: str,
    challenge_round: int | None,
    exp_epsilons: Iterable[Fraction | int],
    epsilons: Iterable[Fraction | int],
    deltas: Iterable[Fraction | int],
) -> Question:
    rounds = horizon if horizon is not None else core.horizon or DEFAULT_HORIZON
    if challenge_round is not None and not 1 <= challenge_round <= rounds:
        raise expected(f"a challenge round from 1 to the horizon {rounds}", challenge_round=challenge_round)
    if challenge_round is not None and len(core.alphabet) == 1:
        raise expected("an alphabet of at least 2 inputs when a challenge round is forced", alphabet=core.alphabet)
    return Question(
        rounds,
        adjacency,
        challenge_round,
        _checked(exp_epsilons, "exp_epsilon", Fraction(1), None),
        _checked(epsilons, "epsilon", Fraction(0), Fraction(10**4)),
        _checked(deltas, "delta", Fraction(0), Fraction(1)),
    )


def _checked(
    values: Iterable[Fraction | int], name: str, least: Fraction, most: Fraction | None
) -> tuple[Fraction, ...]:
    """Exact, in range, distinct and ascending."""
    numbers = {exact(value, name) for value in values}
    for number in numbers:
        if number < least or (most is not None and number > most):
            raise expected(f"at least {least}" + ("" if most is None else f" and at most {most}"), **{name: number})
    return tuple(sorted(numbers))


def _relation(question: Question) -> Adjacency[Any]:
    relation = ADJACENCIES.get(question.adjacency)
    if relation is None:
        raise expected(f"a neighbouring relation ({', '.join(ADJACENCIES)})", adjacency=question.adjacency)
    return relation if question.challenge_round is None else ChallengeAt(relation, question.challenge_round)


def scope_in_words(question: Question) -> str:
    """The scope of every finding of an audit, as a sentence fragment."""
    rounds = "1 round" if question.horizon == 1 else f"{question.horizon} rounds"
    where = "any one round" if question.challenge_round is None else f"round {question.challenge_round}"
    return f"every adversary over {rounds}, streams that differ in {where} ({question.adjacency})"


def _strategies(
    solution: Solution, core: Core, relation: Adjacency[Any], horizon: int, slopes: Iterable[Fraction]
) -> list[dict[str, Any]]:
    """A maximising adversary per slope and order, each replayed; what is too large is left out and says so."""
    search = Search(solution)
    made = []
    left = MOST_NODES_IN_ALL
    for exp_epsilon in sorted(slopes):
        for order in ORDERS:
            found = search.strategy(exp_epsilon, order, min(MOST_NODES, left))
            if found is None:
                left -= min(MOST_NODES, left)
                made.append(documents.strategy_too_large(exp_epsilon, order, solution.power))
                continue
            left -= len(found.nodes)
            event = replay(found, core, relation, horizon)
            replayed = event.delta(exp_epsilon, order)
            if not replayed == found.delta == solution.power.hockey_stick(exp_epsilon, order):
                raise ReplayError(f"replay gave {text(replayed)} where the solver claims {text(found.delta)}")
            made.append(documents.strategy(found, event, core))
    return made
