"""What the enclosed tier knows of a game: both curves between bounds, and the adversaries of its first rounds."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.enclosure import exponential
from dpcert.audit.algebra.power import PowerFunction, supremum
from dpcert.audit.beliefs.belief_refining import BeliefRefining
from dpcert.audit.beliefs.difference_refining import DifferenceRefining
from dpcert.audit.beliefs.differences import by_differences, few_differences
from dpcert.audit.beliefs.hidden import FEW_HIDDEN, MOST_HIDDEN, HiddenGame
from dpcert.audit.budget import INTERRUPTED, Budget, Stopped, best_so_far
from dpcert.audit.enclosed.checkpoint import keep, restore, said_of, told_of
from dpcert.audit.enclosed.effort import MOST_EXACT_ROUNDS, Effort
from dpcert.audit.games.beliefs import BeliefGame
from dpcert.audit.games.paired import Exploration, Game, Level, PairedGame, closed, over_after
from dpcert.audit.games.question import Question
from dpcert.audit.grids.closing import Closing
from dpcert.audit.grids.refining import Refinement, Refining
from dpcert.audit.grids.stages import Stages, stages
from dpcert.audit.limits import within
from dpcert.audit.solving.adaptive import segments_by_round, solve
from dpcert.audit.solving.analysis import NOTHING_KNOWN, Analysis
from dpcert.audit.solving.checkpoint import Checkpoint, key_of
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.audit.solving.fixed_search import fixed_supremum

if TYPE_CHECKING:
    from dpcert.audit.solving.analysis import Enumerated

MOST_EXACT_SEGMENTS = 40_000_000
"""Segments of all chains of a game past which, by its last rounds, it is enclosed and not solved."""
MOST_POSITIONS_AHEAD = 20_000
"""Positions past which nothing is foreseen of a game, and the exact tier is tried."""
MOST_ROUNDS_AHEAD = 64
"""Last rounds by which it is foreseen how many segments all rounds have."""
MOST_BELIEF_PAIRS = 20_000
"""Pairs of beliefs, of games of more than FEW_HIDDEN hidden states, past which they are laid on a grid."""
MOST_PAIRS_ALONE = 100_000
"""Pairs of beliefs, of games that cannot be laid on a grid of beliefs, past which they are not enclosed."""
PARTS_AHEAD = 4
"""Foreseeing how many there are has one of so many parts of the time that is left."""
PARTS_FOR_BELIEFS = 2
"""Finding all pairs of beliefs has one of so many parts of the time that is left."""
FIRST_ROUNDS = 6
"""Rounds of which adversaries and fixed streams are shown beside bounds on all of them."""
MOST_FIRST_POSITIONS = 300
"""Positions past which there are fewer of those rounds."""


def analyse_enclosed(
    game: Game[Any], question: Question, budget: Budget, effort: Effort, whole: Stages | None = None
) -> Analysis:
    """Bounds on both curves, refined until the gap, the time or an interrupt."""
    by_states = None
    with best_so_far(budget) as part:
        if isinstance(game, BeliefGame):
            by_states, whole = _hidden(game, budget)
        whole = whole or stages(game, budget)
    if whole is None:
        return Analysis(
            solve(Exploration((), 1)), NOTHING_KNOWN, None, NOTHING_KNOWN, part.stopped, f"not enclosed: {part.stopped}"
        )
    bounds = refined(by_states or whole, question, effort, budget)
    return _beside_first_rounds(game, whole, bounds, effort, budget)


def refined(game: Stages | HiddenGame, question: Question, effort: Effort, budget: Budget) -> Refinement:
    """What is known once bounds were refined: of states that are seen from where a checkpoint leaves off."""
    if isinstance(game, HiddenGame):
        return _refined_by_states(game, question, effort, budget)
    refining = _refining(game, question, effort, budget)
    closing: list[Closing] = []
    with best_so_far(budget) as part, within(budget.check):
        closing = refining.begun()
        if effort.checkpoint:
            _go_on(refining, closing, effort, ("enclosed", *question.told, effort.gap))
    if part.stopped:
        return Refinement(NOTHING_KNOWN, Fraction(1), 0, part.stopped)
    return refining.run(closing)


def _refined_by_states(game: HiddenGame, question: Question, effort: Effort, budget: Budget) -> Refinement:
    """The same of hidden states: by differences where streams part once, otherwise by beliefs."""
    differences = by_differences(game, budget)
    asked = slopes_of(question), effort.gap, budget, _near(question)
    hidden = DifferenceRefining(differences, *asked) if differences else BeliefRefining(game, *asked)
    if effort.checkpoint:
        with best_so_far(budget) as part, within(budget.check):
            key = "hidden", type(hidden).__name__, *question.told, effort.gap, *told_of(game)
            keep(hidden, Checkpoint(effort.checkpoint, key_of(key)))
        if part.stopped:
            return Refinement(NOTHING_KNOWN, Fraction(1), 0, part.stopped)
    return hidden.run()


def _go_on(refining: Refining, closing: list[Closing], effort: Effort, key: tuple[object, ...]) -> None:
    """Takes up what a checkpoint has, and keeps what is found from now on."""
    file = Checkpoint(effort.checkpoint, key_of(chain(key, *(one.bounding.told() for one in closing))))
    said = file.load()
    if "bounds" in said:
        refining.steps = restore(json.loads(said["bounds"]), closing)
    refining.save = lambda steps, parts: file.save({"bounds": json.dumps(said_of(steps, parts))})


def _refining(whole: Stages, question: Question, effort: Effort, budget: Budget) -> Refining:
    deltas = (*question.deltas, question.delta)
    return Refining(whole, slopes_of(question), deltas, effort.gap, budget, _near(question))


def slopes_of(question: Question) -> tuple[Fraction, ...]:
    """The e^epsilon at which bounds are to be near each other."""
    return tuple(question.exp_epsilons) or (Fraction(1),)


def _near(question: Question) -> tuple[Fraction, ...]:
    """Rational numbers near the e^epsilon of the decimals that are asked for."""
    decimals = [end for e in question.epsilons for end in exponential(e).finite() if end > 1]
    return tuple(Fraction(round(end * 2**40), 2**40) for end in decimals)


def _hidden(game: BeliefGame, budget: Budget) -> tuple[HiddenGame | None, Stages]:
    """The game by its hidden states, beside its first rounds; or None beside all rounds, where few beliefs are met.

    Raises: Stopped: both are too many.
    """
    by_states = HiddenGame.of(game)
    if by_states is not None and (len(by_states.states) <= FEW_HIDDEN or few_differences(by_states, budget)):
        return by_states, _few(game, budget)
    most = MOST_BELIEF_PAIRS if by_states is not None else MOST_PAIRS_ALONE
    with budget.share(PARTS_FOR_BELIEFS):
        few = replace(budget, max_positions=min(budget.max_positions or most, most), positions=0)
    with best_so_far(few) as part:
        return None, stages(game, few)
    if by_states is not None and not part.interrupted:
        return by_states, _few(game, budget)
    pairs = f"{most:,} pairs of beliefs ({'MOST_BELIEF_PAIRS' if by_states is not None else 'MOST_PAIRS_ALONE'})"
    limits = f"more than {MOST_HIDDEN} hidden states (MOST_HIDDEN), or edits, and {pairs}"
    raise Stopped(limits if budget.max_positions is None and part.stopped != INTERRUPTED else str(part.stopped))


def _few(game: Game[Any], budget: Budget) -> Stages:
    """The first rounds of a game of hidden states, as far as there are few beliefs; the last of them ends it here."""
    rounds = 1
    few = replace(budget, max_positions=MOST_FIRST_POSITIONS, positions=0)
    first = stages(replace(game, horizon=1), few)  # type: ignore[type-var]
    with best_so_far(few):
        for rounds in range(2, min(FIRST_ROUNDS, game.horizon) + 1):
            first = stages(replace(game, horizon=rounds), few)  # type: ignore[type-var]
    return first


def _beside_first_rounds(
    game: Game[Any], whole: Stages, bounds: Refinement, effort: Effort, budget: Budget
) -> Analysis:
    """The bounds, with what a few first rounds show exactly: adversaries, and fixed streams."""
    first = first_rounds(whole)
    solution, streams = solve(first), None
    with best_so_far(budget), within(budget.check):
        streams = _streams(game, first, budget)
    streams_power = PowerFunction.identity() if streams is None else streams.power
    lower = supremum([bounds.bracket.lower, solution.power, streams_power])
    reason, words = within_words(bounds, effort)
    return Analysis(
        solution,
        Bracket(lower, bounds.bracket.upper),
        streams,
        Bracket(streams_power, bounds.bracket.upper),
        reason,
        words,
        bounds.events,
    )


def within_words(bounds: Refinement, effort: Effort) -> tuple[str, str]:
    """Why curves that are known between bounds leave something open; and how near those are, for a scope.

    Both say it where an interrupt left them farther apart than was asked.
    """
    apart = up(bounds.gap, 3)
    reason = f"its curves are enclosed between bounds, at most {apart} apart at the e^epsilon asked for"
    if bounds.gap <= effort.gap:
        return reason, bounds.in_words
    if bounds.end == INTERRUPTED:
        return f"{INTERRUPTED}; {reason}", f"{bounds.in_words}, for it was {INTERRUPTED}"
    return reason, f"{bounds.in_words}, for {bounds.end}"


def _streams(game: Game[Any], first: Exploration, budget: Budget) -> "Enumerated | None":
    if not first.levels:
        return None
    levels = closed(first)
    return fixed_stream(levels, budget) if isinstance(game, PairedGame) else fixed_supremum(levels, budget)


def first_rounds(whole: Stages) -> Exploration:
    """A few first rounds; what follows them counts as unexplored."""
    levels: list[Level] = []
    for round_ in range(1, min(whole.rounds, FIRST_ROUNDS) + 1):
        level = played_level(whole, round_)
        if sum(len(one.positions) for one in levels) + len(level.positions) > MOST_FIRST_POSITIONS:
            break
        levels.append(level)
    beyond = len(whole.level(len(levels) + 1).positions) if len(levels) < whole.rounds else 0
    return Exploration(tuple(levels), beyond)


def played_level(whole: Stages, round_: int) -> Level:
    """A round of a game as a level; after the last one all is over, also where it is one of many alike."""
    one = whole.level(round_)
    level = Level(one.positions, one.moves)
    return over_after(level) if round_ == whole.rounds else level


def past_exact(game: Game[Any], budget: Budget) -> Stages | None:
    """The rounds of a game whose chains would have more segments than MOST_EXACT_SEGMENTS; None for any other.

    How many they would have is told by how they grow in the last rounds. Where these alone take longer than a share of
    the time, all of them would take longer than the time.
    """
    if game.horizon <= MOST_EXACT_ROUNDS or not isinstance(game, PairedGame):
        return None
    whole: Stages | None = None
    with budget.share(PARTS_AHEAD):
        few = replace(budget, max_positions=MOST_POSITIONS_AHEAD, positions=0)
    with best_so_far(few) as part:
        whole = stages(game, few)
        rounds = min(MOST_ROUNDS_AHEAD, game.horizon // 4)
        levels = [played_level(whole, round_) for round_ in range(game.horizon - rounds + 1, game.horizon + 1)]
        counts = segments_by_round(levels, rounds, MOST_EXACT_SEGMENTS // 16, few)
        past = len(counts) < rounds or _foreseen(counts, game.horizon) > MOST_EXACT_SEGMENTS
        return whole if past else None
    return None if part.stopped == INTERRUPTED else whole


def _foreseen(counts: Sequence[int], rounds: int) -> int:
    """The segments of all rounds, if they go on growing like the power of the round's number that they grew by."""
    last, half = counts[-1], max(1, counts[len(counts) // 2 - 1])
    power = max(0, (last * 8 // half).bit_length() - 4)  # ln 2 of how often more in twice as many rounds
    foreseen: int = last * rounds ** (power + 1) // (len(counts) ** power * (power + 1))
    return foreseen
