"""Code under seeds, two rounds of coins: what is decided of it, with its witness, and what is left open."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dpcert import Budget, Pmf, bernoulli, uniform
from dpcert.audit.checklist import of_code
from dpcert.audit.checklist.of_code import CodeExamination, examined
from dpcert.audit.finding import Finding, Item, Verdict
from dpcert.audit.kernels.code import Code
from dpcert.audit.kernels.view import any_view_of

Bits = tuple[int, ...]
COIN = bernoulli(Fraction(1, 4))
APART = COIN.product(COIN)
PREFIX, FRESH, SAME = Item.PREFIX_DEPENDENCE, Item.FRESH_RANDOMNESS, Item.DETERMINISTIC_MAP


@dataclass
class Coins:
    """Code that answers a stream of bits under two coins."""

    answer: Callable[[Bits, Bits], Bits]
    law: Pmf[Bits] = APART
    alphabet: Bits = (0, 1)
    changes: int = 10**9
    """Askings after which every answer ends in a 7."""
    law_changes: bool = False

    def seeds(self, horizon: int) -> Pmf[Bits]:
        """Two coins, or the first of them."""
        law = self.law
        if self.law_changes:
            self.law = uniform([(0, 0), (1, 1)])
        return law if horizon == 2 else law.map(lambda seeds: seeds[:horizon])

    def respond(self, seeds: Bits, stream: Bits) -> Bits:
        self.changes -= 1
        answer = self.answer(seeds, stream)
        return answer if self.changes >= 0 else (*answer[:-1], 7)


def masked(seeds: Bits, stream: Bits) -> Bits:
    return tuple(w ^ x for w, x in zip(seeds, stream, strict=False))


def found(code: Coins) -> CodeExamination:
    view = any_view_of(code)
    assert isinstance(view, Code)
    return examined(view, code.alphabet, 2, Budget(), lambda: False)


def verdicts(code: Coins) -> dict[Item, str]:
    return {item: finding.verdict.value for item, finding in found(code).findings.items()}


def refuted(code: Coins, item: Item) -> Finding:
    finding = found(code).findings[item]
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness is not None
    return finding


def test_code_that_masks_its_inputs_is_the_core_that_it_is() -> None:
    examination = found(Coins(masked))
    assert {finding.verdict for finding in examination.findings.values()} == {Verdict.HOLDS}
    assert "All 24 pairs of seeds and stream were run three times" in examination.findings[SAME].detail
    assert examination.core is not None
    for prefix in ((0,), (1,), (0, 1), (1, 1)):
        state: Any = ()
        for x in prefix:
            state = examination.core.advance(state, x)
        assert examination.core.law(state) == COIN.map(lambda w, x=prefix[-1]: w ^ x)


def test_an_output_that_reads_a_later_input_is_shown_on_two_streams() -> None:
    finding = refuted(Coins(lambda w, x: masked(w, (*x[1:], 0))), PREFIX)
    assert finding.witness == {
        "round": 1, "seeds": ["0", "0"], "streams": [["0", "1"], ["0", "0"]], "outputs": ["1", "0"],
    }  # fmt: skip
    assert found(Coins(lambda w, x: masked(w, (*x[1:], 0)))).core is None


def test_code_that_answers_in_two_ways_is_compared_with_nothing() -> None:
    for askings in (1, 30, 60):
        code = Coins(masked, changes=askings)
        examination = found(code)
        same = examination.findings[SAME]
        assert same.verdict is Verdict.REFUTED
        assert same.witness is not None
        assert len(set(map(tuple, same.witness["outputs"]))) == 2
        assert "Run again on seeds" in same.detail
        for item in (PREFIX, FRESH):
            assert examination.findings[item].verdict is Verdict.UNDECIDED
            assert "cannot be compared with itself" in examination.findings[item].detail
        assert examination.core is None


def test_seeds_whose_law_changes_are_no_map() -> None:
    finding = refuted(Coins(masked, law_changes=True), SAME)
    assert finding.detail == "The law of the seeds changed between two askings."


@pytest.mark.parametrize(
    "law",
    [
        Pmf({(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}),  # two tuples never come
        Pmf({(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 4), (0, 1): Fraction(1, 8), (1, 0): Fraction(1, 8)}),
        Pmf({(0, 0): Fraction(1, 3), (0, 1): Fraction(1, 3), (1, 0): Fraction(1, 3)}),
    ],
)
def test_seeds_that_depend_on_each_other_are_shown_with_both_probabilities(law: Pmf[Bits]) -> None:
    finding = refuted(Coins(masked, law), FRESH)
    assert finding.witness is not None
    seeds = tuple(map(int, finding.witness["seeds"]))
    alone = [
        sum((law.probability(w) for w in product((0, 1), repeat=2) if w[t] == seeds[t]), Fraction(0)) for t in (0, 1)
    ]
    assert Fraction(finding.witness["probability"]) == law.probability(seeds)
    assert Fraction(finding.witness["product"]) == alone[0] * alone[1] != law.probability(seeds)


def test_a_round_that_reads_the_seed_of_another_is_shown_under_both() -> None:
    def first_again(seeds: Bits, stream: Bits) -> Bits:
        return tuple(seeds[0] ^ x for x in stream)

    assert verdicts(Coins(first_again))[PREFIX] == "HOLDS"
    finding = refuted(Coins(first_again), FRESH)
    assert finding.witness is not None
    one, two = finding.witness["seeds"]
    assert finding.witness["round"] == 2
    assert one[1] == two[1]
    assert one[0] != two[0]
    stream = tuple(map(int, finding.witness["stream"]))
    assert finding.witness["outputs"] == [str(int(seeds[0]) ^ stream[1]) for seeds in (one, two)]
    assert finding.detail.endswith(f"though its own seed is {one[1]} both times.")


def test_as_many_runs_are_made_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_code, "MOST_RUNS", 4 * 2 + 4 * 4)  # four tuples of seeds, and streams of one and two bits
    assert set(verdicts(Coins(masked)).values()) == {"HOLDS"}
    monkeypatch.setattr(of_code, "MOST_RUNS", 23)
    examination = found(Coins(masked))
    assert {finding.verdict for finding in examination.findings.values()} == {Verdict.UNDECIDED}
    assert all("MOST_RUNS" in finding.detail for finding in examination.findings.values())
    assert examination.core is None
