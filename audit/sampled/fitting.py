"""The learning half: runs on random inputs, runs of first policies, and the policies that all of them lead to."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.power import ORDERS, Order
from dpcert.audit.budget import Budget
from dpcert.audit.frozen import frozen
from dpcert.audit.relations.adjacency import OVER, Adjacency
from dpcert.audit.sampled.black_box import BlackBox, halted
from dpcert.audit.sampled.classes import OutputClasses, classes_of
from dpcert.audit.sampled.learnt import MEMORIES, Seen, learnt, surprise
from dpcert.audit.sampled.planning import Plan, TooLarge, foreseen, plan, policy_for
from dpcert.audit.sampled.policy import Policy, submitted_alike
from dpcert.audit.sampled.running import RunRange, done, generator_of, pieces, played
from dpcert.audit.sampled.sampling import Sampling

EXPLORING, FOLLOWING, TESTING = 0, 1, 2
"""Stages of the runs: on random inputs, along first policies, and the test."""
MOST_BEHAVIOURS = 4
"""Ways to submit inputs that are tested at most; each takes its share of the runs."""
STEEP = (Fraction(3, 2), Fraction(3), Fraction(10), Fraction(30), Fraction(100), Fraction(1000))
"""e^epsilon at which events for the least epsilon are looked for, beside those that are asked for."""
STEEPEST_FORESEEN = Fraction(10**300)
"""The e^epsilon that larger ones count as where a policy is chosen: no float is much larger."""
ALIKE = 1e-9
"""How near two expectations are that are one."""


@frozen
class Contest:
    """The game that is sampled.

    Attributes:
        box: The black box.
        relation: Which pairs are legal.
        rounds: The horizon.
        exp_epsilons: Slopes that are asked for.
        deltas: delta for which epsilon is bounded.
        sampling: How much is run.
        budget: Bounds on the work.
    """

    box: BlackBox
    relation: Adjacency[Any]
    rounds: int
    exp_epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    sampling: Sampling
    budget: Budget

    def done(self, work: Callable[[RunRange], Any], todo: Sequence[RunRange]) -> list[Any]:
        """The work on every piece, in their order."""
        return done(work, todo, self.sampling.jobs, self.budget)


def _foreseen_at(exp_epsilon: Fraction) -> float:
    """An e^epsilon as policies are chosen by it; what they are worth is found out by the runs of a test."""
    slope = min(exp_epsilon, STEEPEST_FORESEEN)
    return slope.numerator / slope.denominator


@frozen
class Candidate:
    """A policy with the slope and the order that it was made for, and what the model expects its event to be worth."""

    exp_epsilon: Fraction
    order: Order
    policy: Policy
    foreseen: tuple[float, float]

    @property
    def gain(self) -> float:
        """delta at its slope, as foreseen."""
        first, second = self.foreseen if self.order == "0-1" else self.foreseen[::-1]
        return first - _foreseen_at(self.exp_epsilon) * second


@frozen
class Lesson:
    """What was learnt: partitions of outputs by round, what laws were taken to depend on, and policies in groups."""

    classes: tuple[OutputClasses, ...]
    memory: str
    groups: tuple[tuple[Candidate, ...], ...]


def lesson(contest: Contest) -> Lesson:
    """What half of the runs teaches. Raises: Stopped: the work ended early."""
    half = contest.sampling.learning // 2
    contest.budget.progress("learning from random inputs")
    raw = [
        run for runs in contest.done(lambda piece: _random(contest, piece), [*pieces(0, 0, 0, half)]) for run in runs
    ]
    classes = tuple(classes_of(outputs[min(t, len(outputs) - 1)] for _, outputs in raw) for t in range(contest.rounds))
    observations = [_classified(inputs, outputs, classes) for inputs, outputs in raw]
    contest.budget.progress("learning along first policies")
    groups = _groups(contest, _plan(contest, classes, observations))
    observations += _followed(contest, classes, groups, contest.sampling.learning - half)
    best = _plan(contest, classes, observations)
    return Lesson(classes, best.model.memory.name, tuple(tuple(group) for group in _groups(contest, best)))


def _random(contest: Contest, piece: RunRange) -> list[tuple[list[Any], list[Any]]]:
    """Runs on streams that are drawn pair by pair, in a world that is drawn as well: inputs and outputs."""
    return [_random_run(contest, piece, run) for run in range(piece.first, piece.last)]


def _random_run(contest: Contest, piece: RunRange, run: int) -> tuple[list[Any], list[Any]]:
    seed = contest.sampling.seed
    coins = generator_of(seed, piece, run, 1)()
    world, state = int(coins.integers(2)), contest.relation.initial
    respond = contest.box.begin(generator_of(seed, piece, run))
    inputs: list[Any] = []
    outputs: list[Any] = []
    for t in range(1, contest.rounds + 1):
        legal = list(contest.relation.legal(state, t, contest.box.alphabet))
        pair, state = legal[int(coins.integers(len(legal)))]
        inputs.append(pair[-world])
        if not (outputs and halted(outputs[-1])):
            outputs.append(respond(inputs[-1]))
        if state is OVER:
            break
    return inputs, outputs


def _classified(inputs: Sequence[Any], outputs: Sequence[Any], classes: Sequence[OutputClasses]) -> Seen:
    """A run as it is learnt from; after HALT every output is one."""
    last = len(outputs) - 1
    return tuple(inputs), tuple(classes[t].of(outputs[min(t, last)]) for t in range(len(inputs)))


def _plan(contest: Contest, classes: Sequence[OutputClasses], runs: Sequence[Seen]) -> Plan:
    """The plan on the memory that foretells best what it was not learnt from, of those that are not too large."""
    counts = [one.count for one in classes]
    kept_back = [run for number, run in enumerate(runs) if number % 4 == 0]
    rest = [run for number, run in enumerate(runs) if number % 4]
    ranked = sorted(MEMORIES, key=lambda memory: surprise(learnt(memory, counts, rest), kept_back))
    for memory in ranked:
        contest.budget.check()
        try:
            return plan(
                learnt(memory, counts, runs), contest.relation, contest.box.alphabet, contest.rounds, contest.budget
            )
        except TooLarge:
            continue
    raise TooLarge


def _groups(contest: Contest, plan: Plan) -> list[list[Candidate]]:
    """Policies for what is asked, in groups that submit alike, those groups first from which most is expected.

    An order from which as much is expected as from the other one adds nothing; neither do more groups than there are
    runs for.
    """
    slopes = sorted({*contest.exp_epsilons, *STEEP})
    candidates: list[Candidate] = []
    for e in slopes:
        one, other = (_candidate(plan, e, order) for order in ORDERS[::-1])
        candidates += [one] if abs(one.gain - other.gain) <= ALIKE else [one, other]
    everything = contest.sampling.learning // 2
    promising = [one for one in candidates if _promises(one, everything)]
    wanted = {id(one) for one in promising if one.exp_epsilon in contest.exp_epsilons}
    wanted |= {id(_steepest(promising, delta, everything)) for delta in contest.deltas if promising}
    chosen = [one for one in promising if id(one) in wanted] or [max(candidates, key=lambda one: one.gain)]
    for most in range(MOST_BEHAVIOURS, 0, -1):
        groups = [[chosen[i] for i in numbers] for numbers in submitted_alike([one.policy for one in chosen])]
        groups = sorted(groups, key=lambda group: -sum(one.gain for one in group))[:most]
        if all(_promises(one, everything // len(groups)) for group in groups for one in group):
            break
    return groups


def _candidate(plan: Plan, exp_epsilon: Fraction, order: Order) -> Candidate:
    policy = policy_for(plan, _foreseen_at(exp_epsilon), order)
    return Candidate(exp_epsilon, order, policy, foreseen(plan, policy))


def _ends(one: Candidate, runs: int) -> tuple[float, float]:
    """About what tests would bound the event by: its larger probability from below, the smaller one from above."""
    high, low = one.foreseen if one.order == "0-1" else one.foreseen[::-1]
    lower = high - 4 * (high * (1 - high) / runs) ** 0.5 - 8 / runs
    return lower, low + 4 * (low * (1 - low) / runs) ** 0.5 + 8 / runs


def _promises(one: Candidate, runs: int) -> bool:
    """Whether a test in so many runs of each world is expected to show any delta at all."""
    lower, upper = _ends(one, max(1, runs))
    return lower > _foreseen_at(one.exp_epsilon) * upper


def _steepest(candidates: Sequence[Candidate], delta: Fraction, runs: int) -> Candidate:
    """The event from which the largest bound on epsilon is expected."""
    least = delta.numerator / delta.denominator

    def ratio(one: Candidate) -> float:
        lower, upper = _ends(one, max(1, runs))
        return (lower - least) / upper

    return max(candidates, key=ratio)


def _followed(
    contest: Contest, classes: Sequence[OutputClasses], groups: Sequence[Sequence[Candidate]], runs: int
) -> list[Seen]:
    """Runs along the policies, half of them in either world."""
    each = max(1, runs // (2 * len(groups)))
    todo = [p for g in range(len(groups)) for world in (0, 1) for p in pieces(FOLLOWING, g, world, each)]

    def work(piece: RunRange) -> list[Seen]:
        policy = groups[piece.group][0].policy
        observations = []
        for run in range(piece.first, piece.last):
            generator = generator_of(contest.sampling.seed, piece, run)
            inputs, _, observed = played(contest.box, policy, classes, piece.world, generator)
            observations.append((tuple(inputs), tuple(observed)))
        return observations

    return [run for runs in contest.done(work, todo) for run in runs]
