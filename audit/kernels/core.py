"""The checked view of a core: its state is a function of the inputs, and a law belongs to a state."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import PLAIN, held
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.kernel import Given, Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.linear import Linear
from dpcert.audit.kernels.prefix_laws import Prefix, PrefixLaws
from dpcert.audit.kernels.release import HALT

LAWS_AT_ONCE = 64
"""Laws of prefixes that are asked for in one question."""
_HALT = held(HALT)
_ONLY_LAWS = {Pmf}


@dataclass(eq=False, repr=False)
class Core:
    """A PrefixCore or MarkovCore: the state is a function of the inputs, and a law belongs to a state.

    States and inputs are tokens. A core made from a mechanism with hidden state may release HALT, for ever, once it
    has; one of a user may not.
    `linear` is set where the law is additive noise on a weighted sum by the way it is written. `whole` is set where
    states that cannot be told apart within a horizon were merged: the core in which they are not. `published` has the
    kernels that were given of it with all that it publishes in view, where anybody wants to know.
    """

    name: str
    alphabet: tuple[Any, ...]
    initial: Hashable
    horizon: int | None
    _advance: Callable[[Any, Any], Hashable]
    _law: Callable[[Any], object]
    describe: Callable[[Any], str] = label
    may_halt: bool = False
    linear: Linear | None = None
    whole: "Core | None" = None
    _again: Callable[[Any], object] | None = None
    published: Given | None = None
    _known: dict[Hashable, Pmf[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _after: dict[tuple[Any, Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _prefixes: PrefixLaws | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def tells_prefixes_apart(self) -> bool:
        """Whether every two prefixes are two states, as where a mechanism names none and its laws are taken as such."""
        return self._advance is append and self.linear is None

    def advance(self, state: Any, x: Any) -> Any:
        """The state after input x, as it was given when it was first asked for."""
        if self._advance is append:
            return (*state, x)
        known = self._after.get((state, x), self)
        if known is self:
            known = self._after[state, x] = self.advance_again(state, x)
        return known

    def advance_again(self, state: Any, x: Any) -> Any:
        """A new answer to the question for the state after input x."""
        with answering(f"{self.name}.advance", self._advance):
            return self._advance(state, x)

    def steps(self) -> list[tuple[Any, Any, Any]]:
        """(state, input, the state after it) for all that was asked of the mechanism."""
        return [] if self.whole is not None else [(state, x, after) for (state, x), after in self._after.items()]

    def laws(self) -> Iterable[tuple[Any, Pmf[Any]]]:
        """Every law that was asked of the mechanism, each by its state."""
        asked = self if self.whole is None else self.whole
        return asked._known.items() if asked._prefixes is None else asked._prefixes

    def law(self, state: Hashable) -> Pmf[Any]:
        """The law of the release in `state`, as it was given when it was first asked for."""
        here = self._known.get(state)
        if here is None:
            here = self._prefixes.get(state) if self._prefixes is not None and isinstance(state, tuple) else None
            here = self._known[state] = self._asked(self._law, state) if here is None else here
        return here

    def law_again(self, state: Hashable) -> Pmf[Any]:
        """A new answer to the question for the law in `state`."""
        return self._asked(self._again or self._law, state)

    def ask_prefixes(self, horizon: int, after: Callable[[], object] | None = None) -> PrefixLaws:
        """The laws of all prefixes of up to so many rounds, asked for round by round; where states are prefixes.

        Rounds that were asked for stay known where the limit ends it. With `after`, which is called after each law, all
        are asked for anew.
        """
        known = None if after is not None else self._prefixes
        laws = self._prefixes = known or PrefixLaws(self.alphabet)
        for rounds in range(len(laws.rounds) + 1, horizon + 1):
            news = laws.add_round(self._laws_of(product(self.alphabet, repeat=rounds), after))
            with answering(f"{self.name}.law", self._law):
                for law in news:
                    self._checked(law)
        return laws

    def changed_prefix(self) -> tuple[Prefix, Pmf[Any], Pmf[Any]] | None:
        """The first prefix whose law is another one when all are asked for again, the last one first; with both.

        What was asked for again, up to where the limit ends it, is not asked for once more.
        """
        laws = self._prefixes or PrefixLaws(self.alphabet)
        while laws.change is None and laws.once > 0:
            rounds, here = laws.last_once()
            row, states = laws.rounds[rounds - 1], product(self.alphabet[::-1], repeat=rounds)
            for block in self._laws_of(islice(states, len(row) - here, None)):
                numbers = row[here - len(block) : here][::-1]
                firsts = [laws.distinct[number] for number in numbers]
                if block != firsts:
                    at = next(i for i, (law, first) in enumerate(zip(block, firsts, strict=True)) if law != first)
                    laws.change = laws.prefix(rounds, here - 1 - at), firsts[at], block[at]
                    return laws.change
                here -= len(block)
                laws.once -= len(block)
        return laws.change

    def _laws_of(self, states: Iterator[Any], after: Callable[[], object] | None = None) -> Iterator[list[Pmf[Any]]]:
        """New answers to the questions for the laws in these states, some at a time."""
        answer = self._law
        if PLAIN.issuperset(map(type, self.alphabet)):  # then prefixes of inputs are values
            answer = getattr(answer, "of_values", answer)
        while block := list(islice(states, LAWS_AT_ONCE)):
            with answering(f"{self.name}.law", answer):
                laws: list[Any] = list(map(answer, block)) if after is None else self._one_by_one(answer, block, after)
                if not _ONLY_LAWS.issuperset(map(type, laws)):
                    laws = list(map(self._checked, laws))
            yield laws

    def _one_by_one(
        self, answer: Callable[[Any], Any], states: Iterable[Any], after: Callable[[], object]
    ) -> list[Pmf[Any]]:
        """New answers with a call after each; what is of a class of the user's is asked for its weights before that."""
        laws = []
        for state in states:
            law = answer(state)
            laws.append(law if type(law) is Pmf else self._checked(law))
            after()
        return laws

    def _asked(self, answer: Callable[[Any], object], state: Hashable) -> Pmf[Any]:
        with answering(f"{self.name}.law", self._law):
            return self._checked(answer(state))

    def _checked(self, law: object) -> Pmf[Any]:
        """The user's answer, as far as it is a law. Raises: MechanismError: it is none, or it halts."""
        if not isinstance(law, Pmf):
            raise MechanismError(f"Expected {self.name}.law to return a Pmf but got {type(law).__name__}")
        if _HALT in law.token_weights()[0] and not self.may_halt:
            raise MechanismError(f"Expected {self.name}.law to go on but got HALT: what halts is an Interactive")
        return law

    def kernel(self, state: Hashable, x: Hashable) -> Kernel:
        """Every outcome of the law leads to the same state."""
        return _released(self.law, self.advance(state, x))

    def kernel_again(self, state: Hashable, x: Hashable) -> Kernel:
        """The kernel from new answers, of the state as well."""
        return _released(self.law_again, self.advance_again(state, x))


def _released(law: Callable[[Hashable], Pmf[Any]], after: Hashable) -> Kernel:
    weights, denominator = law(after).token_weights()
    return Kernel(tuple((y, after, w) for y, w in weights.items()), denominator)


def merged(core: Core, horizon: int) -> Core:
    """The same core; where it is linear, with states that hold sums in place of streams."""
    if core.linear is None:
        return core
    linear = core.linear
    return replace(core, initial=linear.start(horizon), _advance=linear.advance(horizon), _law=linear.law)


def append(prefix: tuple[Hashable, ...], x: Hashable) -> tuple[Hashable, ...]:
    """The inputs so far, which are the state where a mechanism names none."""
    return (*prefix, x)
