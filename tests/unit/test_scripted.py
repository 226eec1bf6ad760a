"""Scripted generators: the exact law of every supported call, and one line for every other."""

import copy
import itertools
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import comb, inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcert import (
    ArgumentError,
    MechanismError,
    Pmf,
    bernoulli,
    examine,
    from_weights,
    point,
    scripted,
    uniform,
    viewed,
)
from dpcert.audit import cells, generators, generators_numpy, tape
from dpcert.audit.cli import run
from dpcert.audit.label import label
from dpcert.mechanisms.randomized_response import RandomizedResponse

Draw = Callable[[Any], Any]
STEP = Fraction(1, 2**53)


def once(draw: Draw, generator: str = "random") -> Any:
    """The mechanism that answers draw(generator), whatever is asked."""
    return scripted(lambda rng: lambda _: draw(rng), alphabet=(0,), generator=generator)


def law(draw: Draw, generator: str = "random") -> Pmf[Any]:
    """The law of draw(generator)."""
    mechanism = once(draw, generator)
    return mechanism.seeds(1).map(lambda seeds: mechanism.respond(seeds, (0,))[0])


def numpy_law(draw: Draw) -> Pmf[Any]:
    return law(draw, "numpy")


def shuffled(rng: Any, items: Any) -> tuple[Any, ...]:
    rng.shuffle(items)
    return tuple(items)


ORDERS = uniform(itertools.permutations((1, 2, 3)))
PAIRS = uniform(itertools.permutations(range(4), 2))
TENTH = Fraction(0.1)
"""What 0.1 stands for."""


@pytest.mark.parametrize(
    ("draw", "closed_form"),
    [
        (lambda r: r.randrange(5), uniform(range(5))),
        (lambda r: r.randrange(2, 5), uniform(range(2, 5))),
        (lambda r: r.randrange(10, 0, -3), uniform((10, 7, 4, 1))),
        (lambda r: r.randint(-1, 1), uniform((-1, 0, 1))),
        (lambda r: r.choice("aab"), from_weights({"a": 2, "b": 1})),
        (lambda r: r.choices("ab")[0], uniform("ab")),
        (lambda r: r.choices("abc", [1, 0, 3]), from_weights({("a",): 1, ("c",): 3})),
        (lambda r: r.choices("ab", np.array([1, 3]))[0], from_weights({"a": 1, "b": 3})),
        (lambda r: r.choices("ab", [0.1, 1])[0], Pmf({"a": TENTH / (1 + TENTH), "b": 1 / (1 + TENTH)})),
        (lambda r: r.choices("ab", cum_weights=[Fraction(1, 3), 1])[0], from_weights({"a": 1, "b": 2})),
        (lambda r: r.choices("ab", [1, 3], k=2), bernoulli(Fraction(3, 4)).product(bernoulli(Fraction(3, 4))).map(
            lambda pair: tuple("ab"[i] for i in pair))),
        (lambda r: r.choices("ab", k=0), point(())),
        (lambda r: r.sample(range(4), 2), PAIRS),
        (lambda r: r.sample(range(100), 1)[0], uniform(range(100))),
        (lambda r: r.sample("ab", k=1, counts=[3, 1])[0], from_weights({"a": 3, "b": 1})),
        (lambda r: shuffled(r, [1, 2, 3]), ORDERS),
        (lambda r: r.getrandbits(3), uniform(range(8))),
        (lambda r: r.getrandbits(0), point(0)),
    ],
)  # fmt: skip
def test_the_law_of_every_call_of_random(draw: Draw, closed_form: Pmf[Any]) -> None:
    assert law(draw) == closed_form


@pytest.mark.parametrize(
    ("draw", "closed_form"),
    [
        (lambda r: r.integers(5), uniform(range(5))),
        (lambda r: r.integers(2, 5), uniform(range(2, 5))),
        (lambda r: r.integers(2, high=5, endpoint=True, dtype=np.uint8), uniform(range(2, 6))),
        (lambda r: r.integers(5, endpoint=True), uniform(range(6))),
        (lambda r: r.integers(2, size=2), uniform(itertools.product(range(2), repeat=2))),
        (lambda r: r.integers(2, size=(1, 2)), uniform(((a, b),) for a in range(2) for b in range(2))),
        (lambda r: r.choice(3), uniform(range(3))),
        (lambda r: r.choice(["a", "b"]), uniform("ab")),
        (lambda r: r.choice(2, p=[0.25, 0.75]), bernoulli(Fraction(3, 4))),
        (lambda r: r.choice(2, p=[0.1, 0.9]), bernoulli(Fraction(0.9) / (TENTH + Fraction(0.9)))),
        (lambda r: r.choice(4, 2, replace=False), PAIRS),
        (lambda r: r.choice([[1, 2], [3, 4]]), uniform(((1, 2), (3, 4)))),
        (lambda r: r.choice([[1, 2], [3, 4]], size=1, axis=1), uniform((((1,), (3,)), ((2,), (4,))))),
        (lambda r: r.permutation([1, 2, 3]), ORDERS),
        (lambda r: r.permutation(3) + 1, ORDERS),
        (lambda r: shuffled(r, [1, 2, 3]), ORDERS),
        (lambda r: shuffled(r, np.array([1, 2, 3])), ORDERS),
        (lambda r: r.binomial(3, 0.25), Pmf({k: Fraction(comb(3, k) * 3 ** (3 - k), 64) for k in range(4)})),
        (lambda r: r.binomial(1, 0.1), bernoulli(TENTH)),
        (lambda r: r.binomial(1, 0.5, size=2), uniform(itertools.product(range(2), repeat=2))),
        (lambda r: r.random() < 0.25, Pmf({True: Fraction(1, 4), False: Fraction(3, 4)})),
    ],
)
def test_the_law_of_every_call_of_numpy(draw: Draw, closed_form: Pmf[Any]) -> None:
    assert numpy_law(draw) == closed_form


@pytest.mark.parametrize(
    ("comparison", "probability"),
    [
        (lambda u: u < Fraction(1, 3), Fraction(-(-(2**53) // 3), 2**53)),
        (lambda u: u <= Fraction(1, 3), Fraction(2**53 // 3 + 1, 2**53)),
        (lambda u: u > Fraction(1, 3), 1 - Fraction(2**53 // 3 + 1, 2**53)),
        (lambda u: u >= Fraction(1, 3), 1 - Fraction(-(-(2**53) // 3), 2**53)),
        (lambda u: u < 0.5, Fraction(1, 2)),
        (lambda u: u <= 0.5, Fraction(1, 2) + STEP),
        (lambda u: u < 0.1, Fraction(-(-TENTH * 2**53 // 1), 2**53)),
        (lambda u: u < Decimal("0.5"), Fraction(1, 2)),
        (lambda u: u < np.float64(0.5), Fraction(1, 2)),
        (lambda u: np.float64(0.5) > u, Fraction(1, 2)),
        (lambda u: Fraction(1, 2) <= u, Fraction(1, 2)),
        (lambda u: Fraction(1, 4) < u < 0.5, Fraction(1, 4) - STEP),
        (lambda u: u < 0, 0),
        (lambda u: u <= 0, STEP),
        (lambda u: u >= 0, 1),
        (lambda u: u < 1, 1),
        (lambda u: u > np.int64(1), 0),
        (lambda u: u < inf, 1),
        (lambda u: u > -inf, 1),
        (lambda u: u < -inf, 0),
        (lambda u: u < nan or u >= nan, 0),
        (lambda u: max(u, 0.25) is u, 1 - Fraction(1, 4)),
    ],
)
def test_random_is_a_whole_multiple_of_two_to_the_minus_53(
    comparison: Callable[[Any], bool], probability: Fraction
) -> None:
    assert law(lambda r: bool(comparison(r.random()))).probability(True) == probability


def test_one_number_compared_again_and_again_is_one_number() -> None:
    found = law(lambda r: (lambda u: (u < 0.75, u < 0.5, u >= 0.75))(r.random()))
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert found == Pmf({(True, True, False): half, (True, False, False): quarter, (False, False, True): quarter})


def test_the_generators_are_what_code_asks_them_to_be() -> None:
    assert law(lambda r: isinstance(r, random.Random)) == point(True)
    assert numpy_law(lambda r: isinstance(r, np.random.Generator) and np.random.default_rng(r) is r) == point(True)
    assert numpy_law(str) == point("Generator(scripted)")


def methods(kind: type, supported: tuple[str, ...]) -> list[str]:
    """Every public method that is not in the subset, as this version of the library has them."""
    return [n for n in dir(kind) if not n.startswith("_") and callable(getattr(kind, n)) and n not in supported]


@pytest.mark.parametrize("name", methods(random.Random, generators.SUPPORTED))
def test_every_other_call_of_random_is_refused_by_name(name: str) -> None:
    with pytest.raises(
        MechanismError, match=rf"supported call .*got random\.Random\.{name} \(.*test_scripted\.py:\d+\)"
    ):
        law(lambda r: getattr(r, name)())


@pytest.mark.parametrize("name", methods(np.random.Generator, generators_numpy.SUPPORTED))
def test_every_other_call_of_numpy_is_refused_by_name(name: str) -> None:
    with pytest.raises(MechanismError, match=rf"got numpy\.random\.Generator\.{name} \(.*test_scripted\.py:\d+\)"):
        numpy_law(lambda r: getattr(r, name)())


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda r: r.random(3), "random() with size"),
        (lambda r: r.random(dtype=np.float32), "random() with size, dtype"),
        (lambda r: r.integers([1, 2]), "integers() with an array"),
        (lambda r: r.binomial([1, 2], 0.5), "binomial() with arrays"),
        (lambda r: r.choice(3, 2, replace=False, p=[0.5, 0.25, 0.25]), "choice() without replacement"),
        (lambda r: r.choice(3, 2, replace=False, shuffle=False), "without shuffle"),
        (lambda r: r.permutation([[1, 2]], axis=1), "permutation() along another axis"),
        (lambda r: r.shuffle(np.ones((2, 2)), axis=1), "shuffle() along another axis"),
        (lambda r: r.bit_generator, "bit_generator"),
        (copy.copy, "a copy draws the same numbers again"),
        (copy.deepcopy, "a copy draws the same numbers again"),
    ],
)
def test_what_numpy_can_do_and_this_cannot_is_named(call: Draw, named: str) -> None:
    with pytest.raises(MechanismError) as caught:
        numpy_law(call)
    assert f"got numpy.random.Generator.{named}" in str(caught.value) or named in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        lambda u: u + 1, lambda u: 2 * u, lambda u: -u, lambda u: u**2, lambda u: int(u), lambda u: float(u), bool,
        lambda u: u == 0.5, lambda u: u != 0.5, lambda u: round(u, 2), hash, str, repr, lambda u: f"{u:.2f}",
        lambda u: u.hex(), lambda u: u.real, copy.copy, lambda u: u, lambda u: [u], lambda u: u < "a",
        lambda u: u < None, lambda u: u < np.float32(0.5), lambda u: sorted([u, u]), lambda u: {u: 1},
    ],
)  # fmt: skip
def test_random_is_compared_and_nothing_else(use: Draw) -> None:
    with pytest.raises(MechanismError, match=r"Expected random\(\) to be compared with a number by <, <=, > or >="):
        law(lambda r: use(r.random()))


def test_what_random_refuses_is_refused_with_its_own_words() -> None:
    for draw, words in [
        (lambda r: r.randrange(0), "ValueError: empty range"),
        (lambda r: r.choice([]), "IndexError"),
        (lambda r: r.choices([]), "IndexError"),
        (lambda r: r.choices("ab", [1]), "ValueError: The number of weights"),
        (lambda r: r.choices("ab", [0, 0]), "ValueError: Total of weights must be greater than zero"),
        (lambda r: r.choices("ab", [1, inf]), "ValueError: Total of weights must be finite"),
        (lambda r: r.choices("ab", ["a", 1]), "TypeError: weights are numbers"),
        (lambda r: r.choices("ab", [1, 1], cum_weights=[1, 2]), "TypeError: Cannot specify both"),
        (lambda r: r.choices("ab", [-1, 2]), "Expected weights of at least 0"),
        (lambda r: r.sample("ab", 3), "ValueError: Sample larger than population"),
        (lambda r: r.sample({1, 2}, 1), "TypeError: Population must be a sequence"),
        (lambda r: r.getrandbits(-1), "ValueError: number of bits"),
    ]:  # fmt: skip
        with pytest.raises(MechanismError) as caught:
            law(draw)
        assert words in str(caught.value)
    for draw, words in [
        (lambda r: r.integers(3, 3), "ValueError: low >= high"),
        (lambda r: r.choice(2, p=[0.5, 0.6]), "ValueError"),
        (lambda r: r.choice(2, 3, replace=False), "ValueError"),
        (lambda r: r.choice(2.5), "ValueError: a must be a sequence or an integer"),
        (lambda r: r.binomial(2, 1.5), "ValueError"),
    ]:
        with pytest.raises(MechanismError) as caught:
            numpy_law(draw)
        assert words in str(caught.value)
        assert "test_scripted.py:" in str(caught.value)


def test_a_refused_call_that_the_code_survives_still_ends_the_run() -> None:
    def survivor(rng: Any) -> int:
        try:
            return int(rng.gauss(0, 1))
        except Exception:  # noqa: BLE001 - what careless code does
            return 0

    with pytest.raises(MechanismError, match=r"got random\.Random\.gauss \(.*test_scripted\.py"):
        law(survivor)


def test_outputs_have_no_types_of_numpy() -> None:
    (answer,) = numpy_law(
        lambda r: (np.int64(1), np.array([[True], [False]]), [np.float64(0.5)], r.integers(1))
    ).support
    assert answer == (1, ((True,), (False,)), (0.5,), 0)
    assert repr(answer) == "(1, ((True,), (False,)), (0.5,), 0)"


def test_what_cannot_be_an_output_is_refused() -> None:
    with pytest.raises(MechanismError, match="hashable output"):
        examine(once(lambda _: {1: 2}))


def looping(rng: Any) -> int:
    count = 0
    while rng.random() < 0.5:
        count += 1
    return count


def looping_the_other_way(rng: Any) -> int:
    count = 0
    while rng.random() >= 0.5:
        count += 1
    return count


def looping_for_nothing(rng: Any) -> int:
    while rng.randrange(1) == 0:
        pass
    return 0


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (looping, f"Expected at most {tape.MOST_SEEDS} seeds in all but "),
        (looping_the_other_way, "a loop of draws without an end"),
        (looping_for_nothing, f"at most {tape.MOST_DRAWS} draws in one run of "),
        (lambda r: r.getrandbits(10**9), "a draw with too many outcomes"),
        (lambda r: r.choices("ab", range(2 * tape.MOST_SEEDS)), "number of weights"),
        (lambda r: r.randrange(2**64), "a draw with too many outcomes"),
    ],
)
def test_too_many_draws_end_in_one_line(draw: Draw, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        law(draw)
    assert words in str(caught.value)
    assert "test_scripted.py:" in str(caught.value)


def test_too_many_outcomes_in_numpy_end_in_one_line() -> None:
    for draw in (lambda r: r.integers(2**40), lambda r: r.binomial(10**6, 0.5)):
        with pytest.raises(MechanismError, match="a draw with too many outcomes"):
            numpy_law(draw)


def test_too_many_runs_end_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_RUNS", 7)
    with pytest.raises(MechanismError, match="Expected at most 7 runs in all but "):
        law(lambda r: r.randrange(8))
    assert len(law(lambda r: r.randrange(7))) == 7
    with pytest.raises(MechanismError, match="too many rounds, inputs or draws"):
        scripted(Coin, alphabet=(0, 1)).seeds(3)


def test_more_pairs_of_seeds_and_stream_than_are_run_leave_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcert.audit.seeded.MOST_RUNS", 10)
    record = examine(scripted(Coin, alphabet=(0, 1)), horizon=2)
    assert record["verdict"] == "UNDECIDED"
    assert {e["verdict"] for e in record["checklist"][:3]} == {"UNDECIDED"}


class Coin:
    """Randomised response."""

    def __init__(self, rng: random.Random, truth: Fraction = Fraction(3, 4)) -> None:
        self.rng = rng
        self.truth = truth

    def __call__(self, x: int) -> int:
        return x if self.rng.random() < self.truth else 1 - x


class Reused(Coin):
    """One draw, made in the constructor, for all rounds."""

    def __init__(self, rng: random.Random) -> None:
        self.noise = rng.randint(-1, 1)

    def __call__(self, x: int) -> int:
        return x + self.noise


class Asked(Coin):
    """Lives once in three times by another rule; keeps count on the class."""

    count = 0

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        Asked.count += 1
        self.turned = Asked.count % 3 == 2

    def __call__(self, x: int) -> int:
        return super().__call__(x) ^ self.turned


class AskedLaw(Asked):
    """The same, but it is the law that turns."""

    def __call__(self, x: int) -> int:
        return x if self.rng.random() < Fraction(1, 3 if self.turned else 2) else 1 - x


class AskedDraws(Asked):
    """The same, but it is the number of draws that turns."""

    def __call__(self, x: int) -> int:
        for _ in range(1 + self.turned):
            x ^= self.rng.getrandbits(1)
        return x


class Kept(Coin):
    """Draws from the generator of the first run for ever."""

    first: Any = None

    def __init__(self, rng: random.Random) -> None:
        Kept.first = Kept.first or rng
        super().__init__(Kept.first)


class Elsewhere(Coin):
    """Draws from the module, not the generator."""

    def __call__(self, x: int) -> int:
        return x ^ random.getrandbits(1)


class Remembered(Coin):
    """Its draws come from a generator of its own."""

    def __call__(self, x: int) -> int:
        return x + random.Random().getrandbits(32)


def checked(factory: Any, **options: Any) -> dict[str, str]:
    record = examine(scripted(factory, alphabet=(0, 1), **options), horizon=2)
    return {entry["item"]: entry["verdict"] for entry in record["checklist"]}


def test_reused_noise_is_not_fresh() -> None:
    found = checked(Reused)
    assert found["FRESH_RANDOMNESS"] == "REFUTED"
    assert found["PREFIX_DEPENDENCE"] == found["DETERMINISTIC_MAP"] == "HOLDS"
    assert checked(Coin)["FRESH_RANDOMNESS"] == "HOLDS"


@pytest.mark.parametrize("factory", [Asked, Remembered])
def test_a_hidden_counter_or_generator_is_no_deterministic_map(factory: type) -> None:
    assert checked(factory)["DETERMINISTIC_MAP"] == "REFUTED"


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        (AskedLaw, "draw 1 of round 1 asked for another law on replay"),
        (AskedDraws, "draw"),
        (Kept, "it drew from the generator of an earlier run"),
        (Elsewhere, "it used the random module, not the generator"),
    ],
)
def test_draws_that_differ_on_replay_are_named(factory: type, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        checked(factory)
    text = str(caught.value)
    assert text.startswith(f"Expected {factory.__name__} to be a function of its inputs and draws: ")
    assert words in text
    assert "test_scripted.py:" in text


def test_the_seed_of_a_round_is_the_common_refinement_of_what_its_draws_are_asked() -> None:
    def wide(rng: Any) -> Callable[[int], int]:
        return lambda x: rng.randrange(2 + x)

    mechanism = scripted(wide, alphabet=(0, 1))
    thirds = Pmf({0: Fraction(1, 3), 1: Fraction(1, 6), 2: Fraction(1, 6), 3: Fraction(1, 3)})
    assert mechanism.seeds(1) == thirds.map(lambda cell: ((cell,),))
    assert mechanism.seeds(2) == thirds.product(thirds).map(lambda pair: ((pair[0],), (pair[1],)))
    assert [mechanism.respond(((c,),), (0,))[0] for c in range(4)] == [0, 0, 1, 1]
    assert [mechanism.respond(((c,),), (1,))[0] for c in range(4)] == [0, 1, 1, 2]


def test_draws_of_the_constructor_belong_to_round_one() -> None:
    mechanism = scripted(Reused, alphabet=(0, 1))
    assert mechanism.seeds(2).support == (((0,), ()), ((1,), ()), ((2,), ()))
    assert mechanism.respond(((2,), ()), (0, 1)) == (1, 2)


def test_draws_of_the_constructor_are_others_than_those_of_round_one() -> None:
    def twice(rng: Any) -> Callable[[int], tuple[int, int]]:
        first = rng.getrandbits(1)
        return lambda _: (first, rng.getrandbits(1))

    mechanism = scripted(twice, alphabet=(0,))
    assert mechanism.seeds(2).support == tuple(itertools.product(itertools.product((0, 1), repeat=2), ((0,), (1,))))
    assert mechanism.respond(((0, 1), (1,)), (0, 0)) == ((0, 1), (0, 1))


def test_a_draw_that_was_not_made_before_is_named() -> None:
    runs = itertools.count()

    def growing(rng: Any) -> Callable[[int], int]:
        draws = 1 if next(runs) < 2 else 2
        return lambda _: sum(rng.getrandbits(1) for _ in range(draws))

    mechanism = scripted(growing, alphabet=(0,))
    assert len(mechanism.seeds(1)) == 2
    with pytest.raises(MechanismError, match="draw 2 of round 1 was not made before"):
        mechanism.respond(((0,),), (0,))


def test_a_method_can_be_named() -> None:
    class Asking(Coin):
        def answer(self, x: int) -> int:
            return self(x)

    mechanism = scripted(Asking, alphabet=(0, 1), method="answer")
    assert examine(mechanism)["adaptive"]["delta"] == examine(RandomizedResponse())["adaptive"]["delta"]
    with pytest.raises(MechanismError, match=r"asked by its method reply but got a Asking \(.*test_scripted"):
        scripted(Asking, alphabet=(0, 1), method="reply").seeds(1)
    with pytest.raises(MechanismError, match="called with one input but got a int"):
        scripted(lambda _: 3, alphabet=(0, 1)).seeds(1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"factory": 3}, "Expected a factory, called with the generator, but got factory=3"),
        ({"generator": "secrets"}, 'Expected generator="random" or "numpy" but got generator=\'secrets\''),
        ({"method": 3}, "Expected the name of a method but got method=3"),
    ],
)
def test_arguments_are_checked(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        scripted(**({"factory": Coin, "alphabet": (0, 1)} | given))
    assert str(caught.value) == words


def test_a_record_is_about_what_the_user_wrote() -> None:
    half = examine(scripted(partial(Coin, truth=Fraction(1, 2)), alphabet=(0, 1)))
    whole = examine(scripted(Coin, alphabet=(0, 1)))
    assert half["parameters"]["factory"] == "Coin(truth=1/2)"
    assert whole["parameters"]["factory"] == "Coin"
    assert half["source_digest"] != whole["source_digest"]
    for record in (half, whole):
        assert Path(record["location"]["file"]).name == "test_scripted.py"
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert lines[whole["location"]["line"] - 1] == "class Coin:"
    assert half["location"] == whole["location"]


def parity(visible: int) -> int:
    return visible % 2


def test_a_view_is_located_where_the_mechanism_is() -> None:
    record = examine(viewed(RandomizedResponse(), parity))
    assert record["location"] == examine(RandomizedResponse())["location"]
    assert record["parameters"]["view"] == "parity"


def test_labels_of_code() -> None:
    assert label(Coin) == "Coin"
    assert label(parity) == "parity"
    assert label(partial(Coin, 1, truth=Fraction(1, 2))) == "Coin(1, truth=1/2)"


FILE = """\
import random

from dpcert import scripted


class Noisy:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def __call__(self, x: int) -> float:
        return {answer}


mechanism = scripted(Noisy, alphabet=(0, 1), horizon=2)
"""


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (
            "x + self.rng.gauss(0, 1)",
            "Expected a supported call (choice, choices, getrandbits, randint, random, randrange, sample, shuffle) "
            "but got random.Random.gauss (noisy.py:11)",
        ),
        ("1 // x", "Noisy raised ZeroDivisionError: integer division or modulo by zero (noisy.py:11)"),
        (
            "x + self.rng.random()",
            "Expected random() to be compared with a number by <, <=, > or >= but got it used by `__radd__` "
            "(noisy.py:11)",
        ),
    ],
)
def test_on_the_command_line_a_refusal_is_one_line(
    answer: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(FILE.format(answer=answer), encoding="utf-8")
    assert run(["audit", "noisy.py:mechanism"]) == 2
    assert capfd.readouterr().err == f"dpcert: {error}\n"


def test_on_the_command_line_an_instance_is_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(FILE.format(answer="x ^ (self.rng.random() < 0.25)"), encoding="utf-8")
    assert run(["audit", "noisy.py:mechanism"]) == 0
    assert "noisy.py:mechanism with factory=Noisy, alphabet=(0, 1), horizon=2" in capfd.readouterr().out
