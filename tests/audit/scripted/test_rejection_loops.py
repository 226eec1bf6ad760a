"""Loops that draw until something holds, against the law of a turn given that it ends; and loops with hidden state."""

import collections
import functools
import inspect
import io
import itertools
import random
import sys
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from instances.seeds import chosen

from dpcert import MechanismError, Pmf, examine, scripted, uniform
from dpcert.audit.scripted.repeating import KNOWN

pytestmark = pytest.mark.skipif(not KNOWN, reason="loops are recognised on Python 3.11 alone, and refused on others")


def law(body: Callable[[Any], Any], generator: str = "random") -> Pmf[Any]:
    mechanism = scripted(lambda rng: lambda _: body(rng), alphabet=(0,), generator=generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


class Listed:
    """A generator whose whole numbers were chosen beforehand; it remembers how many each could have been."""

    def __init__(self, chosen: list[int]) -> None:
        self.chosen, self.counts = chosen, list[int]()

    def randrange(self, count: int) -> int:
        at = len(self.counts)
        self.counts.append(count)
        return self.chosen[at] if at < len(self.chosen) else 0


def enumerated(body: Callable[[Any], Any]) -> Pmf[Any]:
    """The law of code with finitely many runs, by making them all."""
    masses: dict[Any, Fraction] = {}
    chosen: list[int] | None = []
    while chosen is not None:
        rng = Listed(chosen)
        out = body(rng)
        mass = Fraction(1)
        for count in rng.counts:
            mass /= count
        masses[out] = masses.get(out, Fraction(0)) + mass
        taken = [*chosen, *[0] * (len(rng.counts) - len(chosen))][: len(rng.counts)]
        while taken and taken[-1] + 1 == rng.counts[len(taken) - 1]:
            taken.pop()
        chosen = [*taken[:-1], taken[-1] + 1] if taken else None
    return Pmf(masses)


SHAPES: list[Callable[[Any, list[int], set[tuple[int, ...]]], Any]] = []


def shape(function: Callable[[Any, list[int], set[tuple[int, ...]]], Any]) -> Any:
    SHAPES.append(function)
    return function


@shape
def with_a_break(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    while True:
        a = rng.randrange(sizes[0])
        b = rng.randrange(sizes[1])
        if (a, b) in accepted:
            break
    return a, b


@shape
def with_a_return(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    first, second = sizes
    while True:
        drawn = (rng.randrange(first), 0)
        drawn = drawn[0], rng.randrange(second)
        if drawn in accepted:
            return drawn


@shape
def with_a_function(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    drawn = one_turn(rng, sizes)
    while drawn not in accepted:
        drawn = one_turn(rng, sizes)
    return drawn


def one_turn(rng: Any, sizes: list[int]) -> tuple[int, int]:
    a = rng.randrange(sizes[0])
    b = rng.randrange(sizes[1])
    return a, b


@shape
def in_two_loops(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    firsts = {a for a, _ in accepted}
    while True:
        while True:
            a = rng.randrange(sizes[0])
            if a in firsts:
                break
        b = rng.randrange(sizes[1])
        if (a, b) in accepted:
            return a, b


@shape
def with_continue(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    while True:
        a = rng.randrange(sizes[0])
        if not any((a, b) in accepted for b in range(sizes[1])):
            continue
        b = rng.randrange(sizes[1])
        if (a, b) not in accepted:
            continue
        return a, b


class Holder:
    def __init__(self, rng: Any, sizes: list[int]) -> None:
        self.rng = rng
        self.sizes = sizes

    def turn(self) -> tuple[int, int]:
        a = self.rng.randrange(self.sizes[0])
        return a, self.second()

    def second(self) -> int:
        b: int = self.rng.randrange(self.sizes[1])
        return b

    def run(self, accepted: set[tuple[int, ...]]) -> tuple[int, int]:
        while True:
            drawn = self.turn()
            if drawn in accepted:
                return drawn


@shape
def in_an_object(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
    return Holder(rng, sizes).run(accepted)


@pytest.mark.in_turns
@pytest.mark.parametrize("code", SHAPES)
@pytest.mark.parametrize("generator", ["random", "numpy"])
def test_what_a_loop_accepts_has_the_law_of_one_turn_given_that_it_ends(code: Any, generator: str) -> None:
    author = random.Random(code.__name__)

    def other(rng: Any, sizes: list[int], accepted: set[tuple[int, ...]]) -> Any:
        if generator == "numpy":
            return code(Whole(rng), sizes, accepted)
        return code(rng, sizes, accepted)

    refused, made = 0, []
    for _ in range(10):
        sizes = [author.randint(1, 4), author.randint(2, 4)]
        pairs = list(itertools.product(range(sizes[0]), range(sizes[1])))
        made.append((sizes, set(author.sample(pairs, author.randint(1, len(pairs))))))
    for sizes, accepted in chosen(made, 10):
        try:
            found = law(lambda rng, s=sizes, a=accepted: other(rng, s, a), generator)  # type: ignore[misc]
        except MechanismError as error:
            assert "loop of draws without an end" in str(error)  # noqa: PT017 - a refusal is no wrong number
            refused += 1
            continue
        assert found == uniform(sorted(accepted))
    assert refused <= (10 if code in (with_a_return, in_an_object) else 0)


class Whole:
    """numpy's generator under the name of the other's call."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def randrange(self, count: int) -> int:
        n = self.rng.integers(count)
        return int(n)


def hidden_iterator(rng: Any) -> int:
    turns = iter([1, 2, 3])
    while True:
        u = rng.randrange(2)
        if next(turns, None) is None or u:
            return u


def hidden_generator(rng: Any) -> int:
    def ticking() -> Iterator[int]:
        yield from range(2)

    ticks = ticking()
    while next(ticks, None) is not None:
        if rng.randrange(3) == 0:
            return 1
    return 0


def hidden_repeat(rng: Any) -> int:
    u = 0
    for _ in itertools.repeat(None, 3):
        u = rng.randrange(2)
        if u:
            break
    return u


def hidden_map(rng: Any) -> Any:
    return tuple(map(rng.randrange, [2, 2, 2]))


def hidden_lambda_map(rng: Any) -> Any:
    return tuple(map(lambda _: rng.randrange(2), range(3)))  # noqa: C417 - what is tested


def hidden_sorted(rng: Any) -> Any:
    return tuple(sorted([1, 2, 3], key=lambda _: rng.randrange(2)))


def hidden_list(rng: Any) -> int:
    log: list[int] = []
    while len(log) < 3:
        log.append(0)
        if rng.randrange(2):
            return len(log)
    return 0


def hidden_closure(rng: Any) -> int:
    count = 0

    def turn() -> bool:
        nonlocal count
        count += 1
        flip = rng.randrange(2)
        return bool(flip) or count > 2

    while not turn():
        pass
    return count


def hidden_default(rng: Any) -> int:
    def turn(log: list[int] = []) -> bool:  # noqa: B006 - what careless code does
        log.append(0)
        flip = rng.randrange(2)
        return bool(flip) or len(log) > 2

    while not turn():
        pass
    return 1


def hidden_attribute(rng: Any) -> int:
    def turn() -> bool:
        turn.count = getattr(turn, "count", 0) + 1  # type: ignore[attr-defined]
        flip = rng.randrange(2)
        return bool(flip) or turn.count > 2  # type: ignore[attr-defined]

    while not turn():
        pass
    return turn.count  # type: ignore[attr-defined, no-any-return]


def hidden_cache(rng: Any) -> int:
    @functools.lru_cache(maxsize=8)
    def turn(number: int) -> int:
        drawn: int = rng.randrange(2)
        return drawn + 0 * number

    numbers = collections.deque([1, 2, 1, 3])
    total = 0
    while numbers:
        total += turn(numbers.popleft())
    return total


class Slotted:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = 2


def hidden_slots(rng: Any) -> int:
    state = Slotted()
    while state.left:
        state.left -= 1
        if rng.randrange(2):
            return 1
    return 0


def hidden_text(rng: Any) -> int:
    text = io.StringIO("abc")
    while text.read(1):
        if rng.randrange(2):
            return 1
    return 0


class Classed:
    left: ClassVar[int] = 0


def hidden_class(rng: Any) -> int:
    Classed.left = 2
    while Classed.left:
        Classed.left -= 1
        if rng.randrange(2):
            return 1
    return 0


LEFT = [0]


def hidden_global(rng: Any) -> int:
    LEFT[:] = [1, 1]
    while LEFT:
        LEFT.pop()
        if rng.randrange(2):
            return 1
    return 0


def hidden_temporary(rng: Any) -> int:
    turns = iter([5, 1])
    while next(turns, 0) + rng.randrange(2) > 1:
        pass
    return 0


def hidden_stack(rng: Any) -> Any:
    return [rng.randrange(2) for _ in range(3)][-1], rng.randrange(2) + rng.randrange(2)


def hidden_count(rng: Any) -> int:
    ticks = itertools.count()
    while rng.randrange(2):
        if next(ticks) == 2:
            return 1
    return 0


def hidden_partial(rng: Any) -> int:
    step = functools.partial(next, iter(range(3)), None)
    while step() is not None:
        if rng.randrange(2):
            return 1
    return 0


def hidden_set(rng: Any) -> int:
    left = {1, 2, 3}
    while left:
        left.pop()
        if rng.randrange(2):
            return 1
    return 0


HIDDEN = [value for name, value in list(globals().items()) if name.startswith("hidden_")]


@pytest.mark.parametrize("body", HIDDEN)
def test_a_loop_with_hidden_state_is_no_loop_that_begins_anew(body: Callable[[Any], Any]) -> None:
    assert law(body) == enumerated(body)


DEAD = """
def body(rng):
    done = 0
    while True:
        done = {look}["done"] + 1
        if rng.randrange(2) or {look}["done"] > 2:
            return {look}["done"]
"""
LOOKS = """
def from_here(): return sys._getframe(1).f_locals
def from_further(): return inspect.currentframe().f_back.f_locals
def from_error():
    try:
        raise ValueError
    except ValueError as error:
        return error.__traceback__.tb_frame.f_back.f_locals
def from_import():
    from elsewhere import looked
    return looked()
class Looks:
    def __call__(self): return sys._getframe(1).f_locals
from_object = Looks()
"""
WAYS = (
    "locals()", "other_name()", "eval('locals()')", "vars()", "sys._getframe().f_locals",
    "inspect.currentframe().f_locals", "(lambda: sys._getframe(1).f_locals)()",
    "getattr(sys, '_get' + 'frame')().f_locals", "values_in(frame())[3]", "inspect.getargvalues(frame())[3]",
    "from_here()", "from_further()", "from_error()", "from_import()", "from_object()",
)  # fmt: skip
"""Locals as code may read them that no instruction reads by name."""


@pytest.mark.parametrize("way", WAYS)
def test_a_local_that_is_read_by_looking_at_a_frame_is_part_of_the_state(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    space: dict[str, Any] = {"sys": sys, "inspect": inspect, "other_name": locals}
    space |= {"frame": inspect.currentframe, "values_in": inspect.getargvalues}
    elsewhere = types.ModuleType("elsewhere")
    elsewhere.looked = lambda: sys._getframe(2).f_locals  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elsewhere", elsewhere)
    exec(LOOKS + DEAD.format(look=way), space)
    assert law(space["body"]) == Pmf({1: Fraction(1, 2), 2: Fraction(1, 4), 3: Fraction(1, 4)})


def waits_for_an_input(rng: Any) -> Callable[[int], int]:
    def answer(x: int) -> int:
        while True:
            u: int = rng.randrange(10)
            if u < 3 + x:
                return u

    return answer


def test_a_loop_that_ends_by_its_input_is_refused() -> None:
    with pytest.raises(MechanismError, match=r"ends for some inputs and goes on for others.*Pmf\.condition"):
        examine(scripted(waits_for_an_input, alphabet=(0, 1)), horizon=1)


def test_a_loop_that_never_ends_is_refused() -> None:
    def body(rng: Any) -> int:
        while rng.randrange(2) < 5:
            pass
        return 0

    with pytest.raises(MechanismError, match=r"Expected every loop of draws to end but .* has one that never does"):
        law(body)


class Discrete:
    """A sum with noise that is drawn by rejection, twice a round, and once in the constructor."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng
        self.base = self.noise()

    def noise(self) -> int:
        while True:
            u: int = self.rng.randrange(8)
            if u < 5:
                return u - 2

    def __call__(self, x: int) -> int:
        return x + self.noise() if x or self.base else self.noise()


@pytest.mark.in_turns
def test_loops_in_many_places_of_many_rounds() -> None:
    mechanism = scripted(Discrete, alphabet=(0, 1), horizon=2)
    assert len(mechanism.seeds(2)) == 5**3
    record = examine(mechanism, horizon=2)
    assert record["adaptive"]["total_variation"] == "1/5"
    assert {e["item"]: e["verdict"] for e in record["checklist"]}["DETERMINISTIC_MAP"] == "HOLDS"
