"""Rows 73 and 74 of the claims: the paper's two-round mechanism, its repetition, and larger gaps."""

from fractions import Fraction

import pytest

from dpcert import PowerFunction, examine
from dpcert.audit.games.paired import PairedGame, explore
from dpcert.audit.kernels.view import core_of
from dpcert.audit.relations.adjacency import HAMMING, ChallengeAt
from dpcert.audit.solving.adaptive import solve
from dpcert.audit.solving.fixed import fixed_stream
from dpcert.mechanisms.two_round import TwoRound
from dpcert.mechanisms.two_round_repeated import TwoRoundRepeated


def q(text: str) -> Fraction:
    return Fraction(text)


def curves(mechanism: object, horizon: int) -> tuple[PowerFunction, PowerFunction]:
    """(fixed-stream, adaptive)."""
    solution = solve(explore(PairedGame(core_of(mechanism), HAMMING, horizon)))
    return fixed_stream(solution.levels).power, solution.power


def test_two_round_record() -> None:
    record = examine(TwoRound(), exp_epsilons=[1, q("263/252"), q("265/252"), q("3/2")])
    fixed, adaptive = record["fixed_stream"], record["adaptive"]
    assert fixed["total_variation"] == "9/100"
    assert adaptive["total_variation"] == "991/10000"
    assert fixed["power"] == [["0", "0"], ["247/2000", "119/625"], ["19/100", "7/25"], ["18/25", "81/100"],
                              ["506/625", "1753/2000"], ["1", "1"]]  # fmt: skip
    delta = {
        side: {d["exp_epsilon"]: d["lower"] for d in record[side]["delta"]} for side in ("fixed_stream", "adaptive")
    }
    assert delta["fixed_stream"]["265/252"] == delta["adaptive"]["265/252"] == "2021/25200"
    assert delta["fixed_stream"]["3/2"] == delta["adaptive"]["3/2"]
    assert Fraction(delta["fixed_stream"]["263/252"]) < Fraction(delta["adaptive"]["263/252"])
    assert record["lifts"]["curve"]["verdict"] == "REFUTED"
    assert record["lifts"]["curve"]["witness"]["equal_from"] == "265/252"
    assert record["lifts"]["pure"]["verdict"] == "HOLDS"
    assert fixed["largest_ratio"] == adaptive["largest_ratio"] == "1904/1235"
    assert record["scope"]["positions"] == 5
    assert record.exit_status == 1


def test_two_round_adversary_is_the_papers() -> None:
    """The challenge first, then the first release sent back; S = {(0,1), (1,0)} has 0.6336 against 0.5345."""
    (strategy,) = (
        s for s in examine(TwoRound())["adaptive"]["strategies"] if (s["exp_epsilon"], s["order"]) == ("1", "0-1")
    )
    assert strategy["delta"] == strategy["replayed"] == "991/10000"
    assert [Fraction(p) for p in strategy["event"]] == [q("0.6336"), q("0.5345")]
    start, *rest = strategy["nodes"]
    assert start["pair"] == ["0", "1"]
    event = set()
    for branch in start["branches"]:
        node = next(n for n in rest if n["id"] == branch["next"])
        assert node["pair"] == [branch["observation"]] * 2
        event |= {(branch["observation"], b["observation"]) for b in node["branches"] if b["in_event"]}
    assert event == {("0", "1"), ("1", "0")}


PAIRS = [((0, 0), (1, 0), "0.09"), ((0, 1), (1, 1), "0.08"), ((0, 0), (0, 1), "0.08"), ((1, 0), (1, 1), "0.09")]


@pytest.mark.parametrize(("pair0", "pair1", "expected"), PAIRS)
def test_table_of_fixed_pairs(pair0: tuple[int, int], pair1: tuple[int, int], expected: str) -> None:
    laws = [TwoRound().law(s[:1]).product(TwoRound().law(s)) for s in (pair0, pair1)]
    assert PowerFunction.from_laws(*laws).total_variation == q(expected)


@pytest.mark.parametrize(("horizon", "expected"), [(2, "991/10000"), (3, "173/1250"), (4, "103257/625000")])
@pytest.mark.parametrize("relation", [HAMMING, ChallengeAt(HAMMING, 1)])
def test_two_round_repeated(horizon: int, expected: str, relation: object) -> None:
    power = solve(explore(PairedGame(core_of(TwoRoundRepeated()), relation, horizon))).power  # type: ignore[arg-type]
    assert power.total_variation == q(expected)


def test_leak_scales_the_second_table() -> None:
    centre, leak = q("6/25"), q("1/100")
    mechanism = TwoRoundRepeated(leak)
    for b in (0, 1):
        for x in (0, 1):
            assert mechanism.law((b, x)).probability(1) == centre + leak * (TwoRound.second[b][x] - centre)
