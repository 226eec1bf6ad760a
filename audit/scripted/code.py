"""Somebody's code, written against a random generator, as a Seeded mechanism over finite laws."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property, partial
from typing import Any, ClassVar

from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.errors import ArgumentError, DpcertError, MechanismError, expected
from dpcert.audit.frozen import frozen
from dpcert.audit.identity import Held, held, without_identity
from dpcert.audit.kernels.border import answering
from dpcert.audit.kernels.code import BY_ROUND
from dpcert.audit.kernels.label import label
from dpcert.audit.kernels.machine import Machine
from dpcert.audit.kernels.release import HALT
from dpcert.audit.scripted import lifelike
from dpcert.audit.scripted.by_state import Ended, Play, StateExplorer
from dpcert.audit.scripted.cells import Cells, Explorer, Seed, TooManyRuns, explored
from dpcert.audit.scripted.forms import Forms, WholeForm
from dpcert.audit.scripted.generators import ScriptedRandom
from dpcert.audit.scripted.others import SharedInVain, no_look, others_of
from dpcert.audit.scripted.plain import only_plain
from dpcert.audit.scripted.repeating import Loops
from dpcert.audit.scripted.shared_states import StateSharing
from dpcert.audit.scripted.tape import Rejected, Tape, not_a_function
from dpcert.audit.scripted.unknown import Unknown
from dpcert.audit.scripted.unresolved import Unresolved
from dpcert.audit.scripted.unresolved_math import math_of_draws
from dpcert.audit.scripted.written import sent

GENERATORS = ("random", "numpy")
Left = Callable[[Any, Any, tuple[Any, ...]], None]
"""Is shown what answers, the generator and the outputs after the last round of a run."""


@frozen(slots=True)
class Raised:
    """The visible outcome of a round in which code raised an exception: what an observer sees of one, no traceback.

    Args:
        kind: The exception's class, with its module where that is not `builtins`.
        text: What str() makes of it, whole.
    Source: none; ours.

    >>> Raised("ValueError", "no such item")
    Raised(kind='ValueError', text='no such item')
    """

    kind: str
    text: str


sent(Raised)


@frozen
class Scripted:
    """Code whose every draw is a function of a uniform number U[t, k] in [0, 1), draw k of round t.

    The seed of a round says of each of its numbers in which cell it lies. Made by `scripted`.

    Args:
        factory, alphabet, horizon, generator, method, outcomes_of_errors: As `scripted` takes them.
    Source: paper.tex, defn:indep_decomp (the seeds r = (omega_1, omega_2, ...)).

    >>> class Die:
    ...     def __init__(self, rng):
    ...         self.rng = rng
    ...     def __call__(self, x):
    ...         return self.rng.randrange(3)
    >>> len(scripted(Die, alphabet=(0,)).seeds(2))
    9
    """

    factory: Callable[[Any], Any]
    alphabet: tuple[Any, ...]
    horizon: int | None = None
    generator: str = "random"
    method: str | None = None
    outcomes_of_errors: bool = False
    _by_round: ClassVar[object] = BY_ROUND
    _cells: dict[int, Cells] = field(default_factory=dict, init=False, repr=False, compare=False)
    _machines: dict[int, Machine | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _unmerged: dict[int, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def known_cells(self) -> dict[int, Cells]:
        """The cells of every draw by horizon, as far as they were found: what a run in another process has to know."""
        return self._cells

    def learn(self, cells: Mapping[int, Cells]) -> None:
        """Takes cells that were found in another process.

        Args:
            cells: As `known_cells` gives them there.
        """
        self._cells.update(cells)

    @property
    def __wrapped__(self) -> Callable[[Any], Any]:
        """What the user wrote: reports give its file, line and digest."""
        return self.factory

    def seeds(self, horizon: int) -> Pmf[tuple[Seed, ...]]:
        """The joint law of the seeds of rounds 1 to T: a product, by construction.

        Args:
            horizon: T, rounds.
        Returns: A law on tuples of T seeds.
        Raises: MechanismError: code that is no function of its inputs and of the generator's numbers, or that raised.
        """
        cells = self._explored(horizon)
        cells.check_seeds()
        return cells.law()

    def seeds_by_round(self, horizon: int) -> tuple[Pmf[Seed], ...]:
        """The laws of the seeds of rounds 1 to T, one by one.

        Args:
            horizon: T, rounds.
        Returns: T laws.
        Raises: MechanismError: as `seeds`.
        """
        cells = self._explored(horizon)
        return tuple(cells.seed_law(t) for t in range(1, horizon + 1))

    def machine(self, horizon: int) -> Machine | None:
        """The code as a machine whose states are those that its runs are in between rounds.

        Args:
            horizon: T, rounds.
        Returns: It; None where states of the code cannot be told to be one.
        Raises: MechanismError: as `seeds`.
        """
        if horizon not in self._machines:
            self._cells.pop(horizon, None)
            self._explored(horizon)
        return self._machines[horizon]

    def why_unmerged(self, horizon: int) -> str:
        """Why its states are not merged, in words; empty where they are, or where it cannot be followed anyhow.

        Args:
            horizon: T, rounds, for which `machine` was asked.
        """
        return self._unmerged.get(horizon, "")

    def respond(self, seeds: tuple[Seed, ...], stream: tuple[Any, ...]) -> tuple[Any, ...]:
        """(y_1, ..., y_t), the outputs of a new object; one that can be changed later is held as it is now.

        Args:
            seeds: Of rounds 1 to T.
            stream: x[1..t], t at most T.
        Returns: t outputs; those from an exception on are `Raised`, then HALT, where it is an outcome.
        Raises: MechanismError: code that is no function of its inputs and of the generator's numbers, or that raised.
        """
        cells = self._explored(len(seeds))
        tape = cells.tape(seeds)
        tape.loops = None if cells.rejected else _no_loop  # none was met in any run of these rounds
        outputs = self._run(tape, stream)
        if tape.rejected is not None:
            raise MechanismError(not_a_function(self._name, "a loop that had ended began anew"))
        return outputs

    def _explored(self, horizon: int) -> Cells:
        known = self._cells.get(horizon)
        if known is not None:
            return known
        before = random.getstate()
        with answering(self._name, self.factory):
            cells, self._machines[horizon] = self._found(horizon)
            if random.getstate() != before:
                raise MechanismError(not_a_function(self._name, "it used the random module, not the generator"))
        self._cells[horizon] = cells
        return cells

    def _found(self, horizon: int) -> tuple[Cells, Machine | None]:
        """The cells, by states where these can be merged, else by streams."""
        failed: MechanismError | None = None
        try:
            return self._by_states(horizon)
        except TooManyRuns:
            raise
        except Unknown as why:
            self._unmerged[horizon] = str(why)
        except MechanismError as error:  # what a run of all that there are says of it comes first
            failed = error
        try:
            return explored(self._name, self.alphabet, horizon, self._run), None
        except TooManyRuns as error:
            if failed is not None:
                raise failed from None
            raise TooManyRuns(f"{error}; states are not merged, since {self._unmerged[horizon]}") from None

    def _by_states(self, horizon: int) -> tuple[Cells, Machine]:
        """The same by states, of which others run some if there are any. Raises: as `StateExplorer.found`."""
        explorer, forms = self.explorer(horizon)
        others = others_of(self)
        if others is not None:
            explorer.sharing = StateSharing(others, explorer, forms, self)
        try:
            return explorer.found()
        except SharedInVain:
            return self.explorer(horizon)[0].found()

    def explorer(self, horizon: int) -> tuple[StateExplorer, Forms]:
        """What explores its states, and the forms by which it tells them apart.

        Args:
            horizon: T, rounds.
        """
        forms = Forms()
        return StateExplorer(self._name, self.alphabet, horizon, self.looked_at(forms, no_look)), forms

    def looked_at(self, forms: Forms, look: Callable[[], None]) -> Play:
        """What makes a run, and has a look taken at what it left behind.

        Args:
            forms: By which states are told apart.
            look: Raises where it should have left nothing.
        """
        return partial(self._ended, forms, look)

    def whole(self, forms: Forms) -> WholeForm:
        """The form of all that its code can reach before a run, and what that is made of.

        Args:
            forms: By which it is told from others.
        Raises: Unknown: not all of it is plain.
        """
        generator = _GENERATORS[self.generator](Explorer(self._name).tape())
        roots = self.factory, self.alphabet
        return forms.whole(roots, generator, only_plain(roots, generator, errors=self.outcomes_of_errors))

    @property
    def spelled(self) -> tuple[Any, ...]:
        """How the code is asked."""
        return self.generator, self.method, self.outcomes_of_errors

    @cached_property
    def _name(self) -> str:
        return label(self.factory)

    def _ended(
        self, forms: Forms, look: Callable[[], None], tape: Tape, stream: tuple[Any, ...], *, wanted: bool
    ) -> Ended:
        """The outputs of a run as tokens, and the form of the state after it; only the last round's loops are new."""
        loops = Loops(lifelike.ENTRIES)
        tape.loops = lambda t, number: loops.begun_anew(t, number) if t >= len(stream) else None
        state: list[Any] = []

        def left(answer: Any, generator: Any, outputs: tuple[Any, ...]) -> None:
            if not wanted or any(type(y) is Raised for y in outputs):
                state.append("over" if wanted else None)
            else:
                roots = answer, generator, self.alphabet
                looked = only_plain((self.factory, *roots), generator, errors=self.outcomes_of_errors)
                state.append((outputs[-1] is HALT, forms.of(roots, generator, looked)))

        outputs = self._run(tape, stream, left)
        look()
        try:
            return tuple(held(y, "output") for y in outputs), state[0] if outputs else None
        except ArgumentError as error:
            raise Unknown(str(error)) from None

    def _run(self, tape: Tape, stream: tuple[Any, ...], left: Left | None = None) -> tuple[Any, ...]:
        """The outputs; `left` is shown what the run leaves behind, unless it would begin a loop anew."""
        with answering(self._name, self.factory), math_of_draws():
            generator = _GENERATORS[self.generator](tape)
            try:
                answer, outputs = self._outputs(tape, generator, stream)
            except Rejected:
                answer, outputs = None, ()
            except Exception:
                if tape.refusal is not None:  # what came of a call that was refused
                    raise tape.refusal from None
                raise
            finally:
                tape.over = True
            if tape.refusal is not None:  # the code caught it and went on
                raise tape.refusal
            if tape.rejected is not None:
                return ()
            if not generator._untouched():
                what = "it drew past the generator's own calls, by a function of its base class"
                raise MechanismError(not_a_function(self._name, what))
            if left is not None:
                left(answer, generator, outputs)
        return outputs

    def _outputs(self, tape: Tape, generator: Any, stream: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """What answers, and what it did."""
        tape.loops = tape.loops or Loops(lifelike.ENTRIES).begun_anew
        answer = self._answer(self.factory(generator))
        outputs: list[Any] = []
        for t, x in enumerate(stream, start=1):
            tape.begin(t)
            outputs.append(self._answered(answer, x, tape))
            if type(outputs[-1]) is Raised:
                outputs.extend([HALT] * (len(stream) - t))
                break
        return answer, tuple(outputs)

    def _answered(self, answer: Callable[[Any], Any], x: Any, tape: Tape) -> Any:
        """The output of one round, or what it raised where that is an outcome."""
        try:
            value = answer(x)
        except (DpcertError, RecursionError, MemoryError):  # none of them the code's own
            raise
        except Exception as error:
            if not self.outcomes_of_errors or tape.refusal is not None:
                raise
            return _raised(error)
        return _output(value)

    def _answer(self, instance: Any) -> Callable[[Any], Any]:
        answer = instance if self.method is None else getattr(instance, self.method, None)
        if not callable(answer):
            wanted = "called with one input" if self.method is None else f"asked by its method {self.method}"
            raise MechanismError(
                f"Expected {self._name} to make an object that can be {wanted} but got a {type(instance).__name__}"
            )
        return answer  # type: ignore[no-any-return]  # callable, as just seen


def scripted(
    factory: Callable[[Any], Any],
    *,
    alphabet: Iterable[Any],
    horizon: int | None = None,
    generator: str = "random",
    method: str | None = None,
    outcomes_of_errors: bool = False,
) -> Scripted:
    """The Seeded mechanism that code is which draws from a `random.Random` or a `numpy.random.Generator`. Exact.

    Every run makes a new object by `factory(generator)`, and calls it once a round with that round's input. What the
    factory draws belongs to round 1. The documentation lists the calls of a generator that are supported; any other is
    refused by name.

    Args:
        factory: Takes the generator, and returns an object to call: a class, mostly.
        alphabet: The legal inputs of one round.
        horizon: Rounds played where an audit names none.
        generator: "random" for a `random.Random`, "numpy" for a `numpy.random.Generator`.
        method: The object's method to call in place of the object itself.
        outcomes_of_errors: Whether an exception in a round is that round's output, as `Raised`, and all rounds after it
            are HALT; otherwise it is refused. What dpcert refuses, and what ran out of stack or memory, is refused.
    Returns: A Seeded. Its first use runs the code, and raises MechanismError where that cannot be followed.
    Raises: ArgumentError: another generator, or a factory that cannot be called.
    Source: paper.tex, defn:indep_decomp (the seeds r = (omega_1, omega_2, ...)).

    >>> class NoisyBit:
    ...     def __init__(self, rng):
    ...         self.rng = rng
    ...     def __call__(self, bit):
    ...         return bit ^ (self.rng.random() < 0.25)
    >>> mechanism = scripted(NoisyBit, alphabet=(0, 1))
    >>> mechanism.seeds(1)
    Pmf({((0,),): 1/4, ((1,),): 3/4})
    >>> mechanism.respond(((0,), (1,)), (1, 1))
    (0, 1)
    """
    if not callable(factory):
        raise expected("a factory, called with the generator,", factory=factory)
    if generator not in GENERATORS:
        raise expected('generator="random" or "numpy"', generator=generator)
    if method is not None and not isinstance(method, str):
        raise expected("the name of a method", method=method)
    if not isinstance(outcomes_of_errors, bool):
        raise expected("outcomes_of_errors=True or False", outcomes_of_errors=outcomes_of_errors)
    return Scripted(factory, tuple(alphabet), horizon, generator, method, outcomes_of_errors)


without_identity(
    Unresolved, lambda number: number.refuse("as an output (round it, or draw a number from a law of dpcert.laws)")
)


def _numpy_generator(tape: Tape) -> Any:
    from dpcert.audit.scripted.generators_numpy import ScriptedGenerator  # numpy is loaded where it is asked for

    return ScriptedGenerator(tape)


_GENERATORS: dict[str, Callable[[Tape], Any]] = {"random": ScriptedRandom, "numpy": _numpy_generator}


lifelike.ENTRIES.update(f.__code__ for f in (Scripted._outputs, Scripted._answered, Scripted._answer))


def _no_loop(round_: int, number: int) -> None:
    """Where no loop begins anew."""
    del round_, number


def _raised(error: Exception) -> Raised:
    """An exception as an outcome."""
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return Raised(f"{module}{kind.__qualname__}", str(error))


def _output(value: Any) -> Any:
    """An output as it is now: a list, a dictionary, a set or an array is held, since the code may change it later."""
    token = held(value, "output", copying=True)
    return token if isinstance(token, Held) and token.changeable else value
