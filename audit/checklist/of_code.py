"""Conditions 1 to 3 of Checklist 1 for code under explicit seeds, decided by running it on every seed and stream."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import text
from dpcert.audit.budget import Budget, Stopped, best_so_far
from dpcert.audit.finding import Finding, Item, Method, Verdict
from dpcert.audit.frozen import frozen
from dpcert.audit.games.horizon import rounds_in_words
from dpcert.audit.identity import held, parts_of
from dpcert.audit.kernels.code import Code, Seeds, Stream
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.published import core_of_release
from dpcert.audit.limits import look, within
from dpcert.audit.scripted.others import SharedInVain, no_look, others_of
from dpcert.audit.scripted.shared_questions import Question, QuestionSharing

MOST_RUNS = 200_000
"""Pairs of seeds and stream past which conditions 1 to 3 are left undecided."""


@frozen
class CodeExamination:
    """What running the code found: conditions 1 to 3, and the core that it is where all of them hold."""

    findings: Mapping[Item, Finding]
    core: Core | None


def examined(
    code: Code,
    inputs: tuple[Any, ...],
    horizon: int,
    budget: Budget,
    publishes: Callable[[], bool],
    mechanism: object = None,
) -> CodeExamination:
    """Decides PREFIX_DEPENDENCE, FRESH_RANDOMNESS and DETERMINISTIC_MAP over every seed and every stream of `inputs`.

    `publishes` says whether something is published beside the core; then a core release is less than an output. Others
    may ask the `mechanism`, of which the code is the view.
    Source: paper.tex, sec:cert; defn:indep_decomp.
    """
    law = code.seeds(horizon)
    scope = f"every seed and every stream of at most {rounds_in_words(horizon)}"
    deciders: dict[Item, Callable[..., Finding]] = {
        Item.DETERMINISTIC_MAP: partial(_deterministic, mechanism),
        Item.PREFIX_DEPENDENCE: _causal,
        Item.FRESH_RANDOMNESS: partial(_fresh, publishes),
    }
    findings: dict[Item, Finding] = {}
    with best_so_far(budget) as part:
        if _pairs(code, law, len(inputs), horizon) > MOST_RUNS:
            raise Stopped(f"more than {MOST_RUNS} pairs of seeds and stream (MOST_RUNS)")
        streams = [s for t in range(1, horizon + 1) for s in product(inputs, repeat=t)]
        for item, decide in deciders.items():
            with within(budget.check_early):
                findings[item] = decide(code, law, streams, scope, budget)
            if findings[Item.DETERMINISTIC_MAP].verdict is Verdict.REFUTED:
                raise Stopped("code that answers otherwise when it is asked again cannot be compared with itself")
    unknown = Finding(Verdict.UNDECIDED, None, scope, f"{_unmerged(code, horizon)}Not decided: {part.stopped}.")
    findings |= {item: unknown for item in deciders if item not in findings}
    passed = all(finding.verdict is Verdict.HOLDS for finding in findings.values())
    return CodeExamination(findings, _core(code, law, core_part_of(publishes())) if passed else None)


def _pairs(code: Code, law: Pmf[Seeds], inputs: int, horizon: int) -> int:
    """Pairs of seeds and stream that can be told apart."""
    told_apart = (
        len({parts_of(seeds)[:t] for seeds in tokens_of(law)}) if code.by_round else len(law)
        for t in range(1, horizon + 1)
    )
    return sum(seeds * inputs**t for t, seeds in enumerate(told_apart, 1))


def _deterministic(
    mechanism: object, code: Code, law: Pmf[Seeds], streams: list[Stream], scope: str, budget: Budget
) -> Finding:
    """DETERMINISTIC_MAP: every question asked twice in a row, and once more in reverse order."""
    other = code.seeds_again(len(streams[-1]))
    if other != law:
        detail = "The law of the seeds changed between two askings."
        return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, {"laws": [label(law), label(other)]})
    questions = list({code.question(*one): one for one in product(tokens_of(law), streams)}.values())
    differ = _differing_shared(mechanism, code, questions, budget)
    if differ is not None:
        return _two_answers(*differ, scope)
    detail = (
        f"All {len(questions)} pairs of seeds and stream were run three times, twice in a row and once more in reverse "
        "order, and gave the same outputs; more repetitions than these were not made."
    )
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, _unmerged(code, len(streams[-1])) + detail)


def _differing_shared(
    mechanism: object, code: Code, questions: list[Question], budget: Budget
) -> tuple[Question, tuple[Stream, Stream]] | None:
    """The first question that was answered in two ways, with both; others may ask some where that takes long."""
    others = None if mechanism is None or code.by_round else others_of(mechanism)
    if others is None:
        return _differing(code, questions, budget)
    sharing = QuestionSharing(others, mechanism, code, questions)
    try:
        return _differing(code, questions, budget, sharing)
    except SharedInVain:
        code.forget()
        return _differing(code, questions, budget)


def _differing(
    code: Code, questions: list[Question], budget: Budget, sharing: QuestionSharing | None = None
) -> tuple[Question, tuple[Stream, Stream]] | None:
    """The same, but for those questions that others asked."""
    since, look = (0, no_look) if sharing is None else (sharing.begun(), sharing.run)
    asked = questions
    for at, question in enumerate(questions):
        size = 0 if sharing is None else sharing.share(since, at, len(questions) - at)
        if sharing is not None and size and sharing.answered(questions[at:], size):
            asked = questions[:at]
            break
        if answers := _differ(code, question, budget, look):
            return question, answers
    for question in reversed(asked):
        if answers := _differ(code, question, budget, look):
            return question, answers
    return None


def _differ(code: Code, question: Question, budget: Budget, look: Callable[[], None]) -> tuple[Stream, Stream] | None:
    """The first answer to a question and one more, where they differ; what either run leaves behind is looked at."""
    budget.check_early()
    first = code.respond(*question)
    look()
    other = code.again(*question)
    look()
    return None if first == other else (first, other)


def _unmerged(code: Code, horizon: int) -> str:
    """Why all runs are needed, where code that is called by rounds is run on every stream."""
    why = code.why_unmerged(horizon)
    return f"States are not merged, since {why}. " if why else ""


def _two_answers(question: tuple[Seeds, Stream], answers: tuple[Stream, Stream], scope: str) -> Finding:
    seeds, stream = question
    one, two = (label(answer) for answer in answers)
    detail = f"Run again on seeds {label(seeds)} and stream {label(stream)}, it gave {two} where it had given {one}."
    witness = {"seeds": _listed(seeds), "stream": _listed(stream), "outputs": [_listed(answer) for answer in answers]}
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def _causal(code: Code, law: Pmf[Seeds], streams: list[Stream], scope: str, budget: Budget) -> Finding:
    """PREFIX_DEPENDENCE: no output changes when inputs are added after it."""
    for stream in streams:
        budget.check_early()
        for seeds in tokens_of(law):
            before, here = code.respond(seeds, stream[:-1]) if len(stream) > 1 else (), code.respond(seeds, stream)
            if before != here[:-1]:
                return _changed(code, seeds, stream, streams, scope)
    detail = "No output changed when inputs were added after it."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def _changed(code: Code, seeds: Seeds, stream: Stream, streams: list[Stream], scope: str) -> Finding:
    """The first output that a later input changes; two streams of one length show it where there are such."""
    shorter, answer = stream[:-1], code.respond(seeds, stream)
    siblings = (s for s in streams if s[:-1] == shorter)
    other = next((s for s in siblings if code.respond(seeds, s)[:-1] != answer[:-1]), shorter)
    against = code.respond(seeds, other)
    at = next(t for t in range(len(shorter)) if against[t] != answer[t])
    detail = (
        f"Under seeds {label(seeds)}, round {at + 1} releases {label(answer[at])} on {label(stream)} and "
        f"{label(against[at])} on {label(other)}: it reads what comes later."
    )
    witness = {
        "round": at + 1,
        "seeds": _listed(seeds),
        "streams": [_listed(stream), _listed(other)],
        "outputs": [label(answer[at]), label(against[at])],
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def _fresh(
    publishes: Callable[[], bool], code: Code, law: Pmf[Seeds], streams: list[Stream], scope: str, budget: Budget
) -> Finding:
    """FRESH_RANDOMNESS: the seeds are independent, and every core release reads its own round's."""
    dependent = _dependent(law, scope)
    if dependent is not None:
        return dependent
    core_part = core_part_of(publishes())
    for stream in streams:
        budget.check_early()
        first: dict[tuple[int, Any], tuple[Seeds, Any]] = {}
        for seeds in tokens_of(law):
            released = map(core_part, code.respond(seeds, stream))
            for at, (own, output) in enumerate(zip(parts_of(seeds), released, strict=False), 1):
                known, other = first.setdefault((at, own), (seeds, output))
                if other != output:
                    return reads_another(at, stream, (known, seeds), (other, output), scope)
    detail = "The seeds of the rounds are independent, and every round reads its own seed alone."
    return Finding(Verdict.HOLDS, Method.EXHAUSTIVE, scope, detail)


def _dependent(law: Pmf[Seeds], scope: str) -> Finding | None:
    """A tuple of seeds whose probability is not the product of its parts'; every one is looked at, the impossible too.

    Where all possible tuples pass, their probabilities sum to 1 and leave nothing for any other, so none is looked at.
    """
    own = marginals(law)
    for seeds in law.support if len(law) == prod(map(len, own)) else product(*(m.support for m in own)):
        look()
        parts = (m.probability(w) for m, w in zip(own, seeds, strict=True))
        joint, apart = law.probability(seeds), prod(parts, start=Fraction(1))
        if joint != apart:
            detail = (
                f"The seeds are not independent: {label(seeds)} has probability {text(joint)}, "
                f"the product of its parts' is {text(apart)}."
            )
            witness = {"seeds": _listed(seeds), "probability": text(joint), "product": text(apart)}
            return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)
    return None


def marginals(law: Pmf[Seeds]) -> list[Pmf[Any]]:
    """The law of each round's seed."""
    rounds = len(next(iter(law.support)))
    return [law.map(lambda seeds, t=t: seeds[t]) for t in range(rounds)]  # type: ignore[misc]  # t is bound at once


def reads_another(at: int, stream: Stream, seeds: tuple[Seeds, Seeds], outputs: tuple[Any, Any], scope: str) -> Finding:
    """FRESH_RANDOMNESS is refuted by two runs on one stream: a round releases two outputs under one seed of its own."""
    own = label(parts_of(seeds[0])[at - 1])
    detail = (
        f"On {label(stream)}, round {at} releases {label(outputs[0])} under seeds {label(seeds[0])} and "
        f"{label(outputs[1])} under {label(seeds[1])}, though its own seed is {own} both times."
    )
    witness = {
        "round": at,
        "stream": _listed(stream),
        "seeds": [_listed(s) for s in seeds],
        "outputs": [label(y) for y in outputs],
    }
    return Finding(Verdict.REFUTED, Method.EXHAUSTIVE, scope, detail, witness)


def tokens_of(law: Pmf[Seeds]) -> tuple[Any, ...]:
    """The tokens of all seeds that are possible."""
    return tuple(law.token_weights()[0])


def _listed(values: tuple[Any, ...]) -> list[str]:
    return [label(value) for value in parts_of(values)]


def core_part_of(published: bool) -> Callable[[Any], Any]:
    """What counts as core release of an output: the whole, where nothing is published beside it."""
    return core_of_release if published else lambda released: released


def _core(code: Code, law: Pmf[Seeds], core_part: Callable[[Any], Any]) -> Core:
    """The core that the code is: the law of its core release in round t comes from the law of seed t."""
    own = marginals(law)
    with_seed = [{parts_of(seeds)[t]: seeds for seeds in reversed(tokens_of(law))} for t in range(len(own))]

    def law_after(prefix: Stream) -> Pmf[Any]:
        t = len(prefix) - 1
        return own[t].map(lambda w: core_part(code.respond(with_seed[t][held(w)], prefix)[t]))

    return Core(code.name, code.alphabet, (), len(own), lambda prefix, x: (*prefix, x), law_after, may_halt=True)
