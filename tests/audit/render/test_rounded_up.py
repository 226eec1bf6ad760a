"""Whole reports, read back: no decimal beside `≈` is below the number that it stands for, in no kind of report.

What stands beside a fraction, or folded above one, is compared with that. What stands by itself has to be a number of
the record, or one worked out of its numbers, rounded up: a decimal that was rounded to the nearest is none of these.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from random import Random
from typing import Any, ClassVar

import pytest
from instances.seeds import chosen

from dpcert.audit.algebra.common_laws import bernoulli
from dpcert.audit.algebra.decimals import ROUNDED_UP, up
from dpcert.audit.algebra.enclosure import logarithm
from dpcert.audit.algebra.pmf import Pmf
from dpcert.audit.examine import examine
from dpcert.audit.records.record import Record
from dpcert.audit.render.curves import CurveBracket
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta
from dpcert.mechanisms.clipped_sum import ClippedSum
from dpcert.mechanisms.randbin.toy import RandBinToy
from dpcert.mechanisms.randomized_response import RandomizedResponse
from dpcert.mechanisms.sparse_vector import SparseVector
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated

NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
FOLDED = re.compile(rf"<summary>≈ ({NUMBER})</summary><code>(-?\d+(?:/\d+)?)(?: to (-?\d+(?:/\d+)?))?</code>")
BESIDE = re.compile(rf'≈ ({NUMBER}) <span class="aside">(-?\d+(?:/\d+)?)</span>')
BEHIND = re.compile(rf"(-?\d+(?:/\d+)?) \(≈ ({NUMBER})\)")
MARKED = re.compile(rf"≈ ({NUMBER})")
RATIONAL = re.compile(r"-?\d+(?:/\d+)?")
ENDED = re.compile(r"(?<=\d)\.(?!\d)")
"""The full stop after a number."""


@dataclass(frozen=True)
class Leaning:
    """Tells its inputs apart by a chance with many digits."""

    share: Fraction
    alphabet: ClassVar[tuple[int, ...]] = (0, 1)
    initial: ClassVar[tuple[int, ...]] = ()

    def advance(self, state: tuple[int, ...], x: int) -> tuple[int, ...]:
        """The last two inputs."""
        return (*state, x)[-2:]

    def law(self, state: tuple[int, ...]) -> Pmf[int]:
        """A coin that leans a little further with every 1."""
        return bernoulli(self.share / 2 + self.share * sum(state) / 7)


def leaning(seed: int) -> Record:
    rng = Random(seed)
    share = Fraction(rng.getrandbits(120) | 1, 2**121)
    e = 1 + Fraction(rng.randrange(1, 10**9), 10**9)
    return examine(
        Leaning(share), horizon=3, exp_epsilons=[1, e], requirements=Requirements((required_delta(f"{e}:0"),))
    )


def hair() -> Record:
    """A delta of 0.28668040...01: less than half a unit of the sixth digit above a short decimal."""
    leak = Fraction(28_668_040_000_000_000_000_001, 10**23)
    return examine(
        RandomizedResponse(truth=(1 + leak) / 2), horizon=1, exp_epsilons=[1, 2], epsilons=[1], deltas=[leak / 3]
    )


REPORTS: dict[str, Callable[[], Record]] = {
    "two rounds": lambda: examine(TwoRound(), requirements=Requirements((claim("eps=1/3,delta=1/7"),))),
    "repeated": lambda: examine(TwoRoundRepeated(Fraction(1, 7)), horizon=4, exp_epsilons=[1, Fraction(10, 9)]),
    "a hair above": hair,
    "hidden": lambda: examine(ClippedSum(), horizon=2),
    "many digits, hidden": lambda: examine(SparseVector(), horizon=3, epsilons=[Fraction(1, 10)]),
    "both branches": lambda: examine(RandBinToy(), game="npp", adjacency="edit", horizon=9),
    "tiny": lambda: examine(Leaning(Fraction(1, 3**400)), horizon=2, exp_epsilons=[1, Fraction(8, 7)]),
    "near 1": lambda: examine(RandomizedResponse(truth=1 - Fraction(1, 3**30)), horizon=2),
    "enclosed": lambda: examine(TwoRoundRepeated(), horizon=5, tier="enclosed", gap=Fraction(1, 100)),
    **{f"leaning {seed}": (lambda seed=seed: leaning(seed)) for seed in chosen(range(12))},
}


def is_rounded_up(shown: str, exact: Fraction) -> bool:
    """Whether a decimal is the least one of six digits above a number that is none itself."""
    return Fraction(shown) > exact and up(exact) == shown


def numbers_of(document: Any) -> Iterator[Fraction]:
    """Every rational that stands in a record by itself or in a sentence."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key not in {"provenance", "sections"}:
                yield from numbers_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from numbers_of(value)
    elif isinstance(document, str):
        yield from map(Fraction, RATIONAL.findall(document))


def worked_out(document: Any) -> set[str]:
    """Decimals of what a report makes of a record's numbers: logarithms of slopes, gaps and chances of a guess."""
    found = set(numbers_of(document))
    adaptive, fixed = document["adaptive"], document["fixed_stream"]
    more = {logarithm(x).finite().upper for x in found if x > 1}
    more |= {(1 + x) / 2 for x in found if 0 <= x <= 1}
    for one, other in zip(adaptive["delta"], fixed["delta"], strict=True):
        more.add(Fraction(one["upper"]) - Fraction(other["lower"]))
    more.add(CurveBracket.of(adaptive).upper.delta_at(Fraction(1)).finite().upper)
    return {up(x) for x in found | more}


@pytest.fixture(scope="module", params=list(REPORTS))
def record(request: pytest.FixtureRequest) -> Record:
    return REPORTS[request.param]()


def sentences_of_sections(document: Any) -> set[str]:
    """What a mechanism said itself; its numbers are compared where they are made."""
    return set(MARKED.findall(ENDED.sub(" ", json.dumps(document["sections"], ensure_ascii=False))))


@pytest.mark.in_turns(few=True)
def test_a_page_shows_no_decimal_below_its_number(record: Record) -> None:
    html = unescape(record.to_html())
    document = json.loads(record.to_json())
    folded, beside = FOLDED.findall(html), BESIDE.findall(html)
    for shown, low, high in folded:
        assert is_rounded_up(shown, Fraction(high or low)), shown
    for shown, exact in beside:
        assert is_rounded_up(shown, Fraction(exact)), (shown, exact)
    for exact, shown in BEHIND.findall(html):
        assert is_rounded_up(shown, Fraction(exact)), (shown, exact)
    figures = "".join(re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL))  # compared in test_figures
    rest = BEHIND.sub("", BESIDE.sub("", FOLDED.sub("", re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL))))
    words = set(MARKED.findall(ENDED.sub(" ", rest)))
    assert words <= worked_out(document) | sentences_of_sections(document)
    assert figures.count(ROUNDED_UP) + len(folded) + len(beside) + len(words) > 0


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("written", ["to_text", "to_markdown"])
def test_a_text_shows_no_decimal_below_its_number(record: Record, written: str) -> None:
    text = ENDED.sub(" ", getattr(record, written)())
    document = json.loads(record.to_json())
    for exact, shown in BEHIND.findall(text):
        assert is_rounded_up(shown, Fraction(exact)), (shown, exact)
    words = set(MARKED.findall(BEHIND.sub("", text)))
    assert words <= worked_out(document) | sentences_of_sections(document)


def test_a_decimal_that_is_rounded_to_the_nearest_is_seen() -> None:
    made = hair()
    document = json.loads(made.to_json())
    assert "≈ 0.286681" in made.to_text()
    assert "0.28668" not in worked_out(document)
    assert not is_rounded_up("0.28668", Fraction(28_668_040_000_000_000_000_001, 10**23))
