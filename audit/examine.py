"""One audit from end to end: game, solver, fixed streams, adversaries, findings, record."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from dpcert.audit.algebra.gap import Gap, find_gap
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.algebra.rational import exact
from dpcert.audit.budget import Budget, check_rounds
from dpcert.audit.checklist.conditions import Entry, checklist
from dpcert.audit.checklist.horizons import Horizons, horizons, unbounded
from dpcert.audit.checklist.subject import Subject, subject_of
from dpcert.audit.defaults import DEFAULT_ADJACENCY, DEFAULT_EXP_EPSILONS
from dpcert.audit.enclosed.effort import DEFAULT_GAP, Effort, Tier, certified
from dpcert.audit.enclosed.tiers import analyse_within, streams_within
from dpcert.audit.errors import expected
from dpcert.audit.finding import Finding, Item, Verdict, open_because, unless
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import Asked, Horizon
from dpcert.audit.games.of_views import game_of
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Game
from dpcert.audit.games.question import Question, asked, naming_null
from dpcert.audit.kernels.border import placing
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.linear import LISTED_ROUNDS, Linear
from dpcert.audit.kernels.targets import appended, built_in_name
from dpcert.audit.kernels.view import View, any_view_of, noting
from dpcert.audit.outside.interpreters import Interpreters
from dpcert.audit.records.assembled import AuditFacts, Conclusions, Examination, Request
from dpcert.audit.records.record import Record
from dpcert.audit.relations.adjacency import Adjacency
from dpcert.audit.solving.analysis import Analysis, nothing_known
from dpcert.audit.steadiness.answers_alike import DOUBTED, UNSURE
from dpcert.audit.steadiness.watched import watch
from dpcert.audit.verdicts import lifts
from dpcert.audit.verdicts.requirements import EVERY_HORIZON, VACUOUS, Knowledge, Requirements, check

UNSTEADY = "the laws changed between two askings, so there is no one mechanism"


def examine(
    mechanism: object,
    *,
    horizon: Asked = None,
    game: Literal["paired", "npp"] = "paired",
    adjacency: str | Adjacency[Any] | None = None,
    hops: int = 1,
    challenge_round: int | None = None,
    exp_epsilons: Iterable[Fraction | int] = DEFAULT_EXP_EPSILONS,
    epsilons: Iterable[Fraction | int] = (),
    deltas: Iterable[Fraction | int] = (),
    requirements: Requirements | None = None,
    budget: Budget | None = None,
    tier: Tier = "auto",
    gap: Fraction | int | None = None,
    checkpoint: str = "",
    target: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    spelled: Mapping[str, str] | None = None,
) -> Record:
    """The exact privacy of a mechanism against fixed streams and against adaptive adversaries, as a record.

    Args:
        mechanism: A PrefixCore, a MarkovCore, an Interactive or a Seeded.
        horizon: Rounds played; the mechanism's own, or 3. With "inf" the ladder is decided for every horizon,
            and curves are given for as many rounds as show what was refuted.
        game: The paired game, or the neighbour-preserving one, in which both hidden outputs are seen (then the
            mechanism is a NeighborPreserving).
        adjacency: The neighbouring relation, by name or as an object; hamming, and edit in the neighbour-preserving
            game.
        hops: How many neighbours apart the two streams are.
        challenge_round: The one round in which the streams differ (from 1); any round if None.
        exp_epsilons: Rational e^epsilon of at least 1 at which delta is given exactly, with an adversary.
        epsilons: Rational epsilon in nats, at which delta is enclosed.
        deltas: delta in [0, 1], for which epsilon is enclosed.
        requirements: What the verdict is about, with a horizon named or the mechanism's own; without any, that
            adaptive adversaries gain nothing, and in the neighbour-preserving game that the exact curve keeps to the
            mechanism's own bound.
        budget: Bounds on the work; past them the record holds brackets, and what is open is UNDECIDED.
        tier: "exact"; "enclosed", in which bounds are refined; or "auto", the exact one and past its bound the other.
        gap: What bounds of the enclosed tier may be apart at every e^epsilon asked for; a millionth if None.
        checkpoint: A file in which levels that are solved, or refined bounds, are kept, to go on from; none if empty.
        target: The name that the record gives the mechanism.
        parameters: What a factory was given to make the mechanism: recorded, and part of the source digest.
        spelled: The same as it was spelled beside `target` on a command line: other interpreters can read it then.
    Returns: The record: both curves, the checklist, adversaries, and the verdict.
    Raises: DpcertError: an argument or a mechanism that cannot be used; one line says what was expected.
    Source: paper.tex, sec:cert; defn:power_mech; def:npp.

    >>> from dpcert.mechanisms.two_round import TwoRound
    >>> record = examine(TwoRound())
    >>> record["fixed_stream"]["total_variation"], record["adaptive"]["total_variation"]
    ('9/100', '991/10000')
    """
    return examination(
        mechanism,
        horizon=horizon,
        game=game,
        adjacency=adjacency,
        hops=hops,
        challenge_round=challenge_round,
        exp_epsilons=exp_epsilons,
        epsilons=epsilons,
        deltas=deltas,
        requirements=requirements,
        budget=budget,
        tier=tier,
        gap=gap,
        checkpoint=checkpoint,
        target=target,
        parameters=parameters,
        spelled=spelled,
    ).record


def examination(
    mechanism: object,
    *,
    game: Literal["paired", "npp"] = "paired",
    adjacency: str | Adjacency[Any] | None = None,
    requirements: Requirements | None = None,
    budget: Budget | None = None,
    tier: Tier = "auto",
    gap: Fraction | int | None = None,
    checkpoint: str = "",
    target: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    spelled: Mapping[str, str] | None = None,
    on_screen: bool = False,
    kept_after: int = 0,
    **scope: Any,
) -> Examination:
    """What `examine` finds, with what further requirements can be held against; the arguments are those of `examine`.

    Args:
        on_screen: Whether the record is read on a screen alone: then only the adversaries that it needs are read off.
        kept_after: Seconds of solving after which levels are kept in a checkpoint, unless some were kept before.
        scope: What `asked` takes beside the relation: horizon, hops, challenge_round, exp_epsilons, epsilons, deltas.
    """
    others = None if target is None or spelled is None else Interpreters(target, spelled, appended())
    asked_for = requirements or Requirements()
    effort = Effort(tier, DEFAULT_GAP if gap is None else exact(gap, "gap"), checkpoint, kept_after)
    with placing(mechanism), watch(mechanism, others) as watched_mechanism:
        view = any_view_of(mechanism)
        if watched_mechanism.pristine is not None:
            noting(view)
        question = asked(view, adjacency=DEFAULT_ADJACENCY[game] if adjacency is None else adjacency, **scope)
        if not (game == "npp" and asked_for.certified):  # which is refused as such
            _horizon_is_named(asked_for, question.horizon, view)
        name = target or built_in_name(mechanism) or f"{type(mechanism).__module__}:{type(mechanism).__qualname__}"
        request = Request(
            watched_mechanism, view, question, asked_for, budget or Budget(), name, parameters or {}, effort, on_screen
        )
        if game == "paired":
            return _examined(request)
        from dpcert.audit.examine_npp import examine_npp

        return examine_npp(request)


@frozen
class _PlayedGame:
    """What was played of a request, and what was found of it.

    Attributes:
        subject: The mechanism within the rounds that are played.
        relation: The relation that pairs of streams keep to.
        rounds: Which rounds are played, and what is known beyond them.
        question: The question about those.
        game: The game on them.
        analysis: Its curves.
        scope: What was played, in words.
        entries: Checklist 1.
    """

    subject: Subject
    relation: Adjacency[Any]
    rounds: Horizons
    question: Question
    game: Game[Any] | OfflineGame
    analysis: Analysis
    scope: str
    entries: tuple[Entry, ...]

    @property
    def certificates(self) -> tuple[Entry, ...]:
        """Checklist 1, where all that is seen is the core: what is seen beside it counts as well."""
        return self.entries if self.subject.played is self.subject.core else ()

    @property
    def certified(self) -> bool:
        """Whether a rung of the ladder holds of all that is seen."""
        return any(entry.rung is not None for entry in self.certificates)

    @property
    def additive(self) -> Linear | None:
        """What the laws are made of, where more rounds than are played are known by that."""
        core = self.subject.core
        return core.linear if core is not None and self.rounds.additive is not None else None


@frozen
class _Knowledge:
    """What is known for the question as it was asked.

    Attributes:
        question: It, with the rounds that the record's curves are of.
        analysis: Both curves over those rounds.
        scope: The scope in words.
        unknown: Why nothing is concluded of the mechanism, where that is so.
        doubt: Why nothing is said to hold, where that is so.
    """

    question: Question
    analysis: Analysis
    scope: str
    unknown: Finding | None
    doubt: Finding | None

    @cached_property
    def gap(self) -> Gap | None:
        """Where adaptive adversaries reach more than fixed streams do."""
        return (
            None if self.unknown else find_gap(self.analysis.adaptive, self.analysis.fixed, self.question.exp_epsilons)
        )


def _examined(request: Request) -> Examination:
    """The paired game of a checked view, from subject to record."""
    played_game = _gathered(request)
    knowledge = _known(request, played_game)
    if knowledge.gap is not None and played_game.certified:
        raise RuntimeError("a certificate holds for a mechanism whose curves differ")
    findings = _lifts(played_game, knowledge)
    evidence = _held_against(request, played_game, knowledge, findings["curve"])
    outcomes, verdict = check(request.requirements, evidence)
    audit = AuditFacts(
        replace(request, question=knowledge.question),
        "paired",
        played_game.game,
        knowledge.analysis,
        played_game.subject.seen,
        played_game.relation,
        knowledge.scope,
        duration=EVERY_HORIZON if played_game.certified and played_game.rounds.settled else "",
        additive=played_game.additive,
    )
    slopes = set() if knowledge.unknown else audit.slopes(knowledge.gap, outcomes)
    record = audit.record(Conclusions(findings, outcomes, verdict, slopes, played_game.entries))
    return Examination(record, evidence, request.question.horizon.named, audit)


def _gathered(request: Request) -> _PlayedGame:
    """The game over the rounds that there are to play; over all of them where no theorem stands for the rest."""
    view, question, budget = request.view, request.question, request.budget
    relation = question.relation(request.mechanism)
    with naming_null(relation, view):
        subject = subject_of(request.mechanism, view, relation, question.rounds, budget)
    rounds = horizons(subject, view, question, budget)
    of_played = subject
    if rounds.played > question.rounds or _is_shorter(subject, rounds):
        of_played = subject_of(request.mechanism, view, relation, rounds.played, budget)
    played = _played(request, of_played, relation, rounds)
    if rounds.tensor is not None and not question.every_horizon and not played.certified:
        return _played(request, subject, relation, Horizons(question.rounds, question.rounds))
    return played


def _is_shorter(subject: Subject, rounds: Horizons) -> bool:
    """Whether a core's states are better those of the few rounds that are played: all were too many to be merged, or
    the mechanism tells them at once."""
    linear = None if subject.core is None or rounds.additive is None else subject.core.linear
    return linear is not None and (linear.told_at_once or rounds.rounds > LISTED_ROUNDS)


def _played(request: Request, subject: Subject, relation: Adjacency[Any], rounds: Horizons) -> _PlayedGame:
    """The game over some rounds, its curves, and Checklist 1."""
    question, budget = rounds.inner(request.question), request.budget
    game, analysis = _solved(subject, relation, question, request)
    scope = _scope(question, analysis, subject)
    watched_mechanism, whole, by_form = request.watch, rounds.whole, rounds.additive
    entries = checklist(subject, game, question, analysis, scope, budget, whole, watched_mechanism, by_form)
    played = _PlayedGame(subject, relation, rounds, question, game, analysis, scope, entries)
    if played.certified:
        return replace(played, analysis=certified(analysis))
    return replace(played, analysis=streams_within(game, analysis, question, budget, request.effort))


def _known(request: Request, played_game: _PlayedGame) -> _Knowledge:
    """What was found, for the rounds that were asked for, as far as it is of the mechanism as such."""
    watched_mechanism, subject, rounds = request.watch, played_game.subject, played_game.rounds
    question = rounds.outer(request.question)
    unsure = UNSURE if watched_mechanism.unsure else None
    reason = subject.open or (UNSTEADY if _refuted(played_game.entries, Item.DETERMINISTIC_MAP) else unsure)
    doubt = open_because(DOUBTED if watched_mechanism.doubted else None, played_game.scope)
    analysis = rounds.beyond(played_game.analysis, played_game.certified and reason is None, request.budget)
    if reason is not None and subject.offline is None:
        analysis = nothing_known(analysis)
    scope = _scope_by_theorem(played_game.scope, question, rounds, played_game.certified)
    return _Knowledge(question, analysis, scope, open_because(reason, scope), doubt)


def _lifts(played_game: _PlayedGame, knowledge: _Knowledge) -> dict[str, Finding]:
    """Whether the curve, and whether pure guarantees, are the same against adaptive adversaries."""
    adaptive, fixed_stream, unknown = knowledge.analysis.adaptive, knowledge.analysis.fixed, knowledge.unknown
    curve = lifts.curve(adaptive, fixed_stream, knowledge.gap, knowledge.scope, _unfinished(knowledge.analysis))
    return {
        "curve": unknown or unless(_lifted(curve, played_game.certificates, played_game.question), knowledge.doubt),
        "pure": unknown or unless(lifts.pure(adaptive, fixed_stream, knowledge.scope), knowledge.doubt),
    }


def _horizon_is_named(asked_for: Requirements, horizon: Horizon, view: View | Code) -> None:
    """What is asked to hold is not decided over rounds that nobody chose."""
    if asked_for.given and not horizon.named:
        wanted = f"--horizon T (or inf) with --claim and --require-...: {view.name} names no horizon of its own"
        raise expected(wanted, horizon=horizon.question)


def _held_against(request: Request, played_game: _PlayedGame, knowledge: _Knowledge, curve: Finding) -> Knowledge:
    """What requirements are held against: over every horizon only what a theorem gives is an upper bound."""
    rounds, is_certified, analysis = played_game.rounds, played_game.certified, knowledge.analysis
    every = knowledge.question.every_horizon
    by_theorem = is_certified and knowledge.unknown is None and (rounds.settled if every else rounds.tensor is not None)
    whole = by_theorem or not every
    vacuous = analysis.adaptive.upper == PowerFunction.identity()
    return Knowledge(
        adaptive=analysis.adaptive if whole else unbounded(analysis).adaptive,
        curve=curve,
        scope=EVERY_HORIZON if every and by_theorem else knowledge.scope,
        certified_in=knowledge.scope,
        entries=played_game.entries,
        trials=analysis.streams,
        by_theorem=by_theorem,
        unknown=knowledge.unknown,
        doubt=knowledge.doubt,
        vacuous=VACUOUS if vacuous and not (every and by_theorem and len(request.view.alphabet) > 1) else "",
        missing="" if whole else rounds.missing(is_certified),
        ratio_above=lambda epsilon: None if whole else rounds.ratio_above(epsilon, is_certified),
        longer=lambda: () if whole else rounds.longer(is_certified, request.budget),
    )


def _solved(
    subject: Subject, relation: Adjacency[Any], question: Question, request: Request
) -> tuple[Game[Any] | OfflineGame, Analysis]:
    """The game that there is to play, and what is known of it."""
    check_rounds(question.rounds)
    if subject.offline is not None:
        offline = OfflineGame(subject.offline, relation, question.rounds)
        from dpcert.audit.solving.offline_analysis import analyse_offline

        return offline, analyse_offline(offline, request.budget)
    game = game_of(subject.played, relation, question.rounds)
    with naming_null(relation, subject.played):
        return game, analyse_within(game, question, request.budget, request.effort)


def _lifted(curve: Finding, entries: Iterable[Entry], question: Question) -> Finding:
    """lifts.curve, by theorem where exhaustion leaves it open and a certificate holds."""
    certificate = next((entry for entry in entries if entry.rung is not None), None)
    if curve.verdict is Verdict.REFUTED or (curve.verdict is Verdict.HOLDS and not question.every_horizon):
        return curve
    if certificate is not None and certificate.rung is not None:
        return lifts.by_theorem(certificate.rung, certificate.finding)
    return lifts.no_certificate(curve.scope) if curve.verdict is Verdict.HOLDS else curve


def _refuted(entries: Iterable[Entry], item: Item) -> bool:
    return any(entry.item is item and entry.finding.verdict is Verdict.REFUTED for entry in entries)


def _scope(question: Question, found: Analysis, subject: Subject) -> str:
    rounds = len(found.solution.levels)
    if found.enclosed:
        return f"{question.in_words}; {found.enclosed}"
    if rounds == question.rounds or subject.offline is not None:
        return question.in_words
    return f"{question.in_words}; stopped early, {rounds} of {question.rounds} rounds explored"


def _scope_by_theorem(scope: str, question: Question, known: Horizons, certified: bool) -> str:
    if known.played < known.rounds:
        scope = f"{question.in_words}; {known.played} of {known.rounds} rounds played, the rest by theorem"
    return f"{scope}; by theorem the curve is that of every horizon" if certified and known.settled else scope


def _unfinished(found: Analysis) -> str:
    reason = found.stopped or "the bounds do not meet"
    return (
        f"Whether adaptive adversaries beat fixed streams is not decided: {reason}. What is known is given as bounds."
    )
