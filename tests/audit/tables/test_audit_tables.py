"""The tables of random small mechanisms hold what brute force finds: kernels, pairs, curves, transcripts."""

from ast import literal_eval
from fractions import Fraction
from typing import Any

import pytest
from instances.hidden_state import HALT, random_interactive
from instances.random_core import RandomCore, random_core
from instances.seeds import chosen
from oracles import hidden, paired

from dpcert.audit.budget import Budget
from dpcert.audit.examine import examination
from dpcert.audit.tables import left_out, met, transcripts
from dpcert.audit.tables.audit_tables import AuditTables
from dpcert.audit.tables.left_out import LeftOut
from dpcert.audit.tables.table import ExactTable
from dpcert.mechanisms.broken.future_release import FutureRelease
from dpcert.mechanisms.broken.wall_clock import WallClock
from dpcert.mechanisms.two_round import TwoRound

ROUNDS = 2
SLOPES = (Fraction(1), Fraction(4, 3), Fraction(3))
every_core = pytest.mark.parametrize("seed", chosen(range(24)))


def tabulated(mechanism: object, horizon: int | None = None, budget: Budget | None = None) -> AuditTables:
    scope: Any = {"horizon": horizon, "hops": 1, "challenge_round": None}
    return AuditTables(examination(mechanism, **scope, exp_epsilons=SLOPES, epsilons=(), deltas=(), budget=budget))


def tables(mechanism: object, horizon: int | None = None) -> dict[str, ExactTable]:
    made = list(tabulated(mechanism, horizon).tables())
    assert not any(isinstance(one, LeftOut) for one in made)
    return {one.name: one for one in made if isinstance(one, ExactTable)}


def column(table: ExactTable, heading: str) -> list[Any]:
    (number,) = [i for i, (name, _) in enumerate(table.columns) if name == heading]
    return [row[number] for row in table.rows]


def core(seed: int) -> RandomCore:
    return random_core(seed, 2, 2 + seed % 2, ROUNDS)


def point_of(table: ExactTable) -> tuple[Fraction, paired.Order]:
    """The slope and order that a heading such as `P0 - 4/3 P1` names."""
    first, _, *scale, second = table.columns[3][0].split()
    return Fraction(scale[0]) if scale else Fraction(1), "0-1" if (first, second) == ("P0", "P1") else "1-0"


@every_core
def test_kernels_are_the_laws_of_all_prefixes(seed: int) -> None:
    mechanism = core(seed)
    found: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for _, round_, state, x, y, probability in tables(mechanism, ROUNDS)["kernels"].rows:
        prefix = (*literal_eval(str(state)), int(str(x)))
        assert len(prefix) == int(str(round_))
        found.setdefault(prefix, {})[int(str(y))] = Fraction(probability)
    due = {prefix: {y: p for y, p in mechanism.row(prefix).items() if p} for prefix in mechanism.weights}
    assert found == due


@every_core
def test_pairs_are_those_that_neighbouring_streams_lead_to(seed: int) -> None:
    mechanism = core(seed)
    made = tables(mechanism, ROUNDS)
    named = {row[0]: (*literal_eval(str(row[2])), int(str(row[3]))) for row in made["kernels"].rows}
    listed = {frozenset((named[row[2]], named[row[3]])): row for row in made["pairs"].rows}
    due: set[frozenset[tuple[int, ...]]] = set()
    for pairs in paired.fixed_stream_pairs(mechanism.table(), ROUNDS, paired.hamming):
        due |= {frozenset(tuple(pair[b] for pair in pairs[:t]) for b in (0, 1)) for t in range(1, ROUNDS + 1)}
    assert set(listed) == {both for both in due if len(both) == 2}
    assert len(listed) == len(made["pairs"].rows)
    for row in made["pairs"].rows:
        laws = mechanism.row(named[row[2]]), mechanism.row(named[row[3]])
        assert row[4] == sum(max(Fraction(0), p - laws[1][y]) for y, p in laws[0].items())
        corners: Any = [(x, y) for pair, x, y in made["pair-vertices"].rows if pair == row[0]]
        for order in ("0-1", "1-0"):
            for e in SLOPES:
                ahead, behind = laws if order == "0-1" else laws[::-1]
                stick = sum(max(Fraction(0), p - e * behind[y]) for y, p in ahead.items())
                assert paired.hockey_stick_of_vertices(corners, e, order) == stick


@every_core
def test_hulls_and_gap_are_what_brute_force_finds(seed: int) -> None:
    mechanism, made = core(seed), tables(core(seed), ROUNDS)
    table = mechanism.table()
    oracles = (paired.fixed_stream_hockey_stick, paired.transcript_tree_hockey_stick)
    for e, *deltas, gap in made["gap"].rows:
        both = [max(o(table, ROUNDS, paired.hamming, Fraction(e), order) for order in ("0-1", "1-0")) for o in oracles]
        assert deltas == both
        assert gap == both[1] - both[0]
    assert set(SLOPES) <= set(column(made["gap"], "e^ε"))
    for name, oracle in zip(("fixed-hull", "adaptive-hull"), oracles, strict=True):
        vertices: Any = made[name].rows
        for e in paired.curve_points(vertices):
            value = paired.hockey_stick_of_vertices(vertices, e, "1-0")
            assert value == oracle(table, ROUNDS, paired.hamming, e, "1-0")


@every_core
def test_fixed_transcripts_are_enumerated(seed: int) -> None:
    mechanism, made = core(seed), tables(core(seed), ROUNDS)
    table = mechanism.table()
    e, order = point_of(ExactTable("", "", made["fixed-transcripts"].columns[1:], ()))
    best = paired.fixed_stream_hockey_stick(table, ROUNDS, paired.hamming, e, order)
    assert set(column(made["fixed-streams"], made["fixed-streams"].columns[3][0])) == {best}
    streams = {
        row[0]: tuple(zip(literal_eval(str(row[1])), literal_eval(str(row[2])), strict=True))
        for row in made["fixed-streams"].rows
    }
    worths: dict[Any, Fraction] = {}
    for pairs in paired.fixed_stream_pairs(table, ROUNDS, paired.hamming):
        laws = paired.transcript_laws(table, ROUNDS, {seen: pairs[len(seen)] for seen in every_transcript(3)})
        worths[pairs] = paired.score_of_laws(laws, e, order)
        for name in [n for n, listed in streams.items() if listed == pairs]:
            rows = [row[1:] for row in made["fixed-transcripts"].rows if row[0] == name]
            assert {literal_eval(str(seen)): (p, q) for seen, p, q, *_ in rows} == {
                seen: (laws[0][seen], laws[1][seen]) for seen in laws[0]
            }
            inside = [row[3] for row in rows if row[4] == "yes"]
            assert sum(inside, Fraction(0)) == best  # type: ignore[arg-type]
    assert set(streams.values()) == {pairs for pairs, worth in worths.items() if worth == best}


def every_transcript(outputs: int) -> list[tuple[int, ...]]:
    return [(), *((y,) for y in range(outputs))]


@every_core
def test_the_adversary_attains_and_its_transcripts_are_enumerated(seed: int) -> None:
    mechanism, made = core(seed), tables(core(seed), ROUNDS)
    table = mechanism.table()
    e, order = point_of(made["adaptive-transcripts"])
    plays = adversary(made["adversary"])
    laws = paired.transcript_laws(table, ROUNDS, {seen: plays.get(seen, (0, 0)) for seen in every_transcript(3)})
    inside = Fraction(0)
    for text, p, q, worth, bets in made["adaptive-transcripts"].rows:
        seen = literal_eval(str(text))
        for mass, law in ((p, laws[0]), (q, laws[1])):
            assert mass == sum((m for view, m in law.items() if view[: len(seen)] == seen), Fraction(0))
        inside += Fraction(worth) if bets == "yes" else 0
    assert inside == paired.transcript_tree_hockey_stick(table, ROUNDS, paired.hamming, e, order)


def adversary(table: ExactTable) -> dict[tuple[int, ...], tuple[int, int]]:
    """What the table's adversary submits after each transcript at which it goes on."""
    rows: list[Any] = list(table.rows)
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    pending = [((), "0")] if rows else []
    while pending:
        seen, node = pending.pop()
        for number, _, x0, x1, y, then in rows:
            if number == node:
                found[seen] = int(x0), int(x1)
                if then.startswith("node "):
                    pending.append(((*seen, int(y)), then.removeprefix("node ")))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("seed", chosen(range(24)))
def test_hidden_state_is_tabulated_as_brute_force_plays_it(seed: int) -> None:
    mechanism, alphabet = random_interactive(seed, 2, 2, 2, allow_halt=seed % 2 == 0)
    found = tabulated(mechanism, ROUNDS)
    made = {one.name: one for one in found.tables() if isinstance(one, ExactTable)}
    assert len(made) == 10
    for e, fixed, adaptive, _ in made["gap"].rows:
        for value, oracle in ((fixed, hidden.hidden_fixed_hockey_stick), (adaptive, hidden.hidden_tree_hockey_stick)):
            args = mechanism, alphabet, ROUNDS, paired.hamming, Fraction(e)
            assert value == max(oracle(*args, order, HALT) for order in ("0-1", "1-0"))  # type: ignore[operator]
    laws: dict[Any, Fraction] = {}
    for _, _, state, x, *_, probability in made["kernels"].rows:
        laws[state, x] = laws.get((state, x), Fraction(0)) + Fraction(probability)
    assert set(laws.values()) == {Fraction(1)}
    e, order = point_of(made["adaptive-transcripts"])
    best = hidden.hidden_tree_hockey_stick(mechanism, alphabet, ROUNDS, paired.hamming, e, order, HALT)
    rows: Any = made["adaptive-transcripts"].rows
    assert sum((row[3] for row in rows if row[4] == "yes"), Fraction(0)) == best
    assert sum(row[1] for row in rows) == sum(row[2] for row in rows) == 1


def test_the_paper_s_numbers() -> None:
    made = tables(TwoRound())
    assert made["gap"].rows[0] == (1, Fraction("0.09"), Fraction("0.0991"), Fraction("0.0091"))
    assert Fraction(265, 252) in column(made["gap"], "e^ε")
    assert [row[:3] for row in made["adaptive-transcripts"].rows] == [
        ("(0, 0)", Fraction("0.2304"), Fraction("0.2835")),
        ("(0, 1)", Fraction("0.0896"), Fraction("0.0665")),
        ("(1, 0)", Fraction("0.5440"), Fraction("0.4680")),
        ("(1, 1)", Fraction("0.1360"), Fraction("0.1820")),
    ]
    assert set(column(made["fixed-streams"], "total variation")) == {Fraction("0.09")}
    assert (Fraction("0.5345"), Fraction("0.6336")) in made["adaptive-hull"].rows
    assert (Fraction("0.5345"), Fraction("0.6336")) not in made["fixed-hull"].rows


def test_what_is_too_long_is_left_out_by_name_and_the_rest_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (left_out, transcripts):
        monkeypatch.setattr(module, "MOST_TABLE_ROWS", 12)
    monkeypatch.setattr(transcripts, "MOST_TABLE_STREAMS", 11)
    made = list(tabulated(TwoRound()).tables())
    missing = {one.name: one.why for one in made if isinstance(one, LeftOut)}
    assert set(missing) == {"pair-vertices", "fixed-streams", "fixed-transcripts"}
    assert missing["pair-vertices"] == "more than MOST_TABLE_ROWS = 12 rows"
    assert "MOST_TABLE_STREAMS = 11" in missing["fixed-streams"]
    assert len(made) == 10


def test_a_curve_between_bounds_is_no_table() -> None:
    made = list(tabulated(core(1), ROUNDS, Budget(max_positions=2)).tables())
    assert [one.name for one in made if isinstance(one, ExactTable)] == ["kernels", "pairs", "pair-vertices"]
    why = {one.why for one in made if isinstance(one, LeftOut)}
    assert why == {"the curve is known between bounds alone: --max-positions 2 was reached"}
    assert all("stopped early, 1 of 2 rounds explored" in one.title for one in made if isinstance(one, ExactTable))


def test_what_is_no_mechanism_is_refused() -> None:
    with pytest.raises(ValueError, match="an output of which reads later inputs: it has no kernels to tabulate"):
        tabulated(FutureRelease())
    assert "laws changed" in tabulated(WallClock()).unknown
    assert tabulated(TwoRound()).unknown == tabulated(TwoRound()).doubt == ""


def test_a_transcript_that_is_not_worth_what_was_claimed_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutant: the law of world 1 is played in both worlds."""
    played = transcripts.law_of
    monkeypatch.setattr(transcripts, "law_of", lambda view, submits, _: played(view, submits, -1))
    with pytest.raises(Exception, match="transcripts are worth 0 where 9/100 was claimed"):
        tables(TwoRound())


def test_words_are_not_cut() -> None:
    assert met.words(tuple(range(500))) == f"({', '.join(map(str, range(500)))})"
