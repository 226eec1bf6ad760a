"""The checked view of code under seeds, and the mechanism that it is when it is run live."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import MechanismError
from dpcert.audit.identity import held, parts_of, value_of, values_of
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.hidden import Hidden
from dpcert.audit.kernels.kernel import Kernel
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.kernels.release import HALT

Seeds = tuple[Any, ...]
Stream = tuple[Any, ...]


BY_ROUND = object()
"""What a class of ours has as `_by_round` whose `respond` calls code once a round, with that round's input and seed."""


@dataclass(eq=False, repr=False)
class Code:
    """A Seeded mechanism: code under explicit seeds. Answers are remembered, and can be asked for again.

    Seeds, inputs and outputs are tokens. Of code that is called round by round, seeds of rounds that a stream does not
    reach are none of the question.
    """

    name: str
    alphabet: tuple[Any, ...]
    horizon: int | None
    _seeds: Callable[[int], object]
    _respond: Callable[[Any, Any], object]
    by_round: bool = False
    _seeds_by_round: Callable[[int], tuple[Pmf[Any], ...]] | None = None
    _machine: Callable[[int], Machine | None] | None = None
    _unmerged: Callable[[int], str] | None = None
    _answers: dict[tuple[Any, Any], tuple[Any, ...]] = field(default_factory=dict)
    _laws: dict[int, Pmf[tuple[Any, ...]]] = field(default_factory=dict)
    _machines: dict[int, Machine | None] = field(default_factory=dict)

    def seeds(self, horizon: int) -> Pmf[tuple[Any, ...]]:
        """The joint law of one seed a round; the first answer."""
        known = self._laws.get(horizon)
        if known is None:
            known = self._laws[horizon] = self.seeds_again(horizon)
        return known

    def seeds_by_round(self, horizon: int) -> tuple[Pmf[Any], ...] | None:
        """The law of the seed of each round, where code is called by rounds: they are independent then."""
        if self._seeds_by_round is None:
            return None
        with answering(f"{self.name}.seeds", self._seeds):
            return self._seeds_by_round(horizon)

    def machine(self, horizon: int) -> Machine | None:
        """The code as a machine, where it is called by rounds and its states can be told to be one."""
        if horizon not in self._machines:
            machine = None
            if self._machine is not None:
                with answering(f"{self.name}.seeds", self._seeds):
                    machine = self._machine(horizon)
            self._machines[horizon] = None if machine is None else replace(machine, name=self.name)
        return self._machines[horizon]

    def why_unmerged(self, horizon: int) -> str:
        """Why it is no machine, where it was asked for one and its states are not merged; else empty."""
        return "" if self._unmerged is None else self._unmerged(horizon)

    def seeds_again(self, horizon: int) -> Pmf[tuple[Any, ...]]:
        """A new answer to the question for the law of the seeds."""
        with answering(f"{self.name}.seeds", self._seeds):
            law = self._seeds(horizon)
            if not isinstance(law, Pmf):
                raise MechanismError(f"Expected {self.name}.seeds to return a Pmf but got {type(law).__name__}")
            for seeds in law.support:
                if not (isinstance(seeds, tuple) and len(seeds) == horizon):
                    wanted = f"{self.name}.seeds({horizon}) to give tuples of {horizon} seeds"
                    raise MechanismError(f"Expected {wanted} but got {label(seeds)}")
        return law

    def respond(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        """The first answer to this question."""
        machine = self._machines.get(len(parts_of(seeds)))
        if machine is not None:
            return machine.respond(parts_of(seeds), stream)
        question = self.question(seeds, stream)
        known = self._answers.get(question)
        if known is None:
            known = self._answers[question] = self.again(seeds, stream)
        return known

    def question(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, Any]:
        """All that an answer can depend on."""
        return (parts_of(seeds)[: len(stream)] if self.by_round else seeds), stream

    def learn(self, question: tuple[Any, Any], answer: tuple[Any, ...]) -> bool:
        """Takes the first answer to a question, which was asked in another process; False if there was another one.

        Args:
            question: Seeds and stream.
            answer: The outputs.
        """
        return self._answers.setdefault(self.question(*question), answer) == answer

    def forget(self) -> None:
        """Forgets all answers, its own and those that it took."""
        self._answers.clear()

    def again(self, seeds: tuple[Any, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        """A new answer to this question."""
        with answering(f"{self.name}.respond", self._respond):
            outputs = self._respond(value_of(seeds), values_of(stream))
            if not (type(outputs) is tuple and len(outputs) == len(stream)):
                raise MechanismError(
                    f"Expected {self.name}.respond to return a tuple of {len(stream)} outputs but got {label(outputs)}"
                )
            answer = parts_of(held(outputs, "output"))
            if any(y is HALT and z is not HALT for y, z in pairwise(answer)):
                raise MechanismError(
                    f"Expected {self.name}.respond to go on with HALT after HALT but got {label(answer)}"
                )
        return answer


def online(code: Code, horizon: int, beside: Callable[[Stream], Any] | None = None) -> Hidden:
    """The code run live: its seeds are drawn before round 1, and round t releases what it answers to the inputs so far.

    The hidden state is (seeds, inputs). `beside` makes the release of a round from the outputs so far, which are then
    asked for anew: it may read what the code leaves behind.
    """
    law = code.seeds(horizon)

    def release(seeds: Seeds, stream: Stream) -> Any:
        return code.respond(seeds, stream)[-1] if beside is None else beside(code.again(seeds, stream))

    def kernel(state: Any, x: Any) -> Kernel:
        seeds, inputs = state
        stream = (*inputs, x)
        if seeds is not None:
            return Kernel(((release(seeds, stream), (seeds, stream), 1),), 1)
        weights, denominator = law.token_weights()
        return Kernel(tuple((release(s, stream), (s, stream), w) for s, w in weights.items()), denominator)

    return Hidden(code.name, code.alphabet, (None, ()), horizon, kernel)
