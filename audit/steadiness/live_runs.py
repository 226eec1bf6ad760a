"""One live run of a mechanism with chosen draws, written down round by round: what two runs are compared by."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import held, value_of
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.core import Core
from dpcert.audit.kernels.hidden import Hidden, released_by
from dpcert.audit.kernels.label import exactly, label
from dpcert.audit.kernels.published import publisher_of
from dpcert.audit.kernels.release import HALT

T = TypeVar("T")
Choices = tuple[int, ...]
"""Which outcome each draw of a live run has, by number; the first for those that are not mentioned."""
Run = tuple[tuple[Any, ...], Choices]
"""A live run: its inputs, as tokens, and its draws."""


def next_choices(choices: Choices, options: Sequence[int]) -> Choices | None:
    """The outcomes of the run after this one, where its draws have so many; None after the last."""
    outcomes = [*choices[: len(options)], *[0] * (len(options) - len(choices))]
    while outcomes:
        if outcomes[-1] + 1 < options[len(outcomes) - 1]:
            return (*outcomes[:-1], outcomes[-1] + 1)
        outcomes.pop()
    return None


class ChosenDraw:
    """A draw with chosen outcomes; it remembers the laws, in full, how many outcomes each has, and the probability of
    those that were chosen."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self.options: list[int] = []
        self.laws: list[str] = []
        self.taken: list[int] = []
        self.weight = Fraction(1)

    def __call__(self, law: Pmf[T]) -> T:
        weights, total = law.token_weights()
        outcomes = sorted(weights, key=exactly)
        at = len(self.options)
        self.options.append(len(outcomes))
        self.laws.append(_law_exactly(law))
        self.taken.append(self._choices[at] % len(outcomes) if at < len(self._choices) else 0)
        token = outcomes[self.taken[-1]]
        self.weight *= Fraction(weights[token], total)
        outcome: T = value_of(token)
        return outcome


@frozen
class StepTaken:
    """One step of a live run.

    Attributes:
        before: The outcomes of all draws before it, by number.
        taken: Those of its own.
        asked: The state and the input, as tokens.
        outcome: What was visible, and the state after it, as tokens.
        weight: The probability of its draws.
        published: State, input and outcome of the mechanism with all that it publishes in view; None of one that
            publishes nothing.
    """

    before: Choices
    taken: Choices
    asked: tuple[Any, Any]
    outcome: tuple[Any, Any]
    weight: Fraction
    published: tuple[tuple[Any, Any], tuple[Any, Any]] | None = None


def played(
    mechanism: Any,
    view: Core | Hidden | Code,
    stream: Any,
    choices: Choices,
    *,
    anew: bool = False,
    steps: list[StepTaken] | None = None,
) -> tuple[list[str], list[int]]:
    """One live run: a line a round, of the laws drawn from, the release, what is published, and the state after it; and
    how many outcomes each draw had. With `anew` every round asks, also what was asked before; `steps` gets those of a
    step that is run."""
    draw = ChosenDraw(choices)
    if isinstance(view, Code):
        return _code_played(view, stream, draw, anew), draw.options
    publisher = publisher_of(mechanism, view.name)
    lines: list[str] = []
    releases: tuple[Any, ...] = ()
    state = view.initial
    whole: Any = (state, ())
    for x in stream:
        start, asked, asked_whole, draw.weight = len(draw.taken), (state, x), (whole, x), Fraction(1)
        visible, state = _round(mechanism, view, state, x, draw, publisher is not None, anew)
        releases = (*releases, visible)
        shown = None if publisher is None else publisher.beside(releases)
        laws, draw.laws = " ".join(draw.laws), []
        lines.append(f"{laws} | {exactly(visible)} | {'' if publisher is None else exactly(shown)} | {exactly(state)}")
        if steps is not None:
            published = None
            if publisher is not None:
                whole = (state, releases) if isinstance(view, Core) else held((state, releases), "state")
                shown = shown if isinstance(view, Core) else held(shown, "visible output")
                published = asked_whole, (shown, whole)
            taken = tuple(draw.taken)
            steps.append(StepTaken(taken[:start], taken[start:], asked, (visible, state), draw.weight, published))
        if visible is HALT:
            break
    return lines, draw.options


def _round(
    mechanism: Any, view: Core | Hidden, state: Any, x: Any, draw: ChosenDraw, publishes: bool, anew: bool
) -> tuple[Any, Any]:
    """One round with chosen draws: its visible output and the state after it; a core's law stands for all outputs."""
    if isinstance(view, Core):
        after = (view.advance_again if anew else view.advance)(state, x)
        law = (view.law_again if anew or publishes else view.law)(after)  # publish may read what asking leaves behind
        if publishes:
            return held(draw(law)), after
        draw.laws.append(_law_exactly(law))
        return None, after
    with answering(f"{view.name}.step", mechanism.step):
        release, following = released_by(view.name, mechanism.step(value_of(state), value_of(x), draw))
        return held(release.visible, "visible output"), held(following, "state")


def _code_played(code: Code, stream: Any, draw: ChosenDraw, anew: bool) -> list[str]:
    ask = code.again if anew else code.respond
    laws = code.seeds_by_round(len(stream))
    if laws is None:
        seeds = held(draw(code.seeds(len(stream))))
        return [f"{draw.laws} | {label(seeds)} | {exactly(y)}" for y in ask(seeds, stream)]
    seeds = held(tuple(map(draw, laws)))
    return [f"{w} | {label(seeds)} | {exactly(y)}" for w, y in zip(draw.laws, ask(seeds, stream), strict=True)]


def _law_exactly(law: Pmf[Any]) -> str:
    weights, total = law.token_weights()
    listed = sorted(f"{exactly(y)}: {integer_text(w)}" for y, w in weights.items())
    return f"{{{', '.join(listed)}}} / {integer_text(total)}"
