"""`dpcert search`: known gaps found again, every printed number the exact one of the printed table."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from instances.seeds import spread

from dpcert import Pmf, examine
from dpcert.audit.budget import Budget, Stopped
from dpcert.audit.commands import search
from dpcert.audit.commands.cli import run
from dpcert.audit.commands.search import TableSearch, answered
from dpcert.audit.search import climb as floats
from dpcert.audit.search.climb import Landscape, Shape
from dpcert.audit.search.polish import Polisher, denominator
from dpcert.audit.search.restarts import Restart, climb_for_another, tops
from dpcert.audit.search.tabulated import Tabulated, Worth, nearest, prefixes, worth
from dpcert.audit.workers.calls import Calls
from dpcert.audit.workers.reply import Reply
from dpcert.audit.workers.workers import Workers
from dpcert.mechanisms.two_round import TwoRound

SMALL = TableSearch(Shape(2, 2, 2), Fraction(1), Fraction(1, 20), seed=1, restarts=40)
ARGUMENTS = ["search", "--inputs", "2", "--outputs", "2", "--horizon", "2"]


def q(text: str) -> Fraction:
    return Fraction(text)


def two_round() -> Tabulated:
    """The paper's mechanism as a table."""
    core = TwoRound()
    laws = (core.law(prefix) for prefix in prefixes(2, 2))
    return Tabulated(2, 2, tuple((law.probability(0), law.probability(1)) for law in laws))


# --- exact: the table, its worth, rounding


def test_the_paper_s_table_is_worth_the_paper_s_numbers() -> None:
    assert worth(two_round(), Fraction(1)) == Worth(q("9/100"), q("991/10000"))
    assert worth(two_round(), Fraction(1)).ratio == q("991/900")
    assert worth(two_round(), q("265/252")).ratio == 1


def test_the_law_of_each_prefix_is_the_one_in_its_place() -> None:
    laws = tuple((Fraction(1, n + 2), 1 - Fraction(1, n + 2)) for n in range(3 + 9 + 27))
    core = Tabulated(3, 3, laws)
    for prefix, law in core.table.items():
        assert core.law(prefix) == Pmf(enumerate(law))
    assert list(core.table) == [p for t in (1, 2, 3) for p in product(range(3), repeat=t)]


@pytest.mark.in_turns
def test_nothing_for_fixed_streams_is_nothing_for_anybody() -> None:
    """Pure e^epsilon carries over, so that the undefined ratio 0 / 0 counts as 1."""
    third, half = q("1/3"), q("1/2")
    flat = Tabulated(2, 2, ((third, 2 * third), (half, half)) + ((half, half),) * 4)
    assert worth(flat, Fraction(2)) == Worth(Fraction(0), Fraction(0))
    assert worth(flat, Fraction(2)).ratio == 1
    for laws in product(((third, 2 * third), (half, half), (2 * third, third)), repeat=6):
        value = worth(Tabulated(2, 2, laws), Fraction(4))
        assert (value.fixed == 0) == (value.adaptive == 0)


@pytest.mark.parametrize("law", [(q("0.1881"), q("0.8119")), (q("0.2"), q("0.3"), q("0.5")), (q("0"), q("1"))])
@pytest.mark.parametrize("most", [1, 2, 7, 20])
def test_nearest_is_the_nearest_law_with_such_a_denominator(law: tuple[Fraction, ...], most: int) -> None:
    found = nearest(law, most)
    assert sum(found) == 1
    assert denominator(found) <= most
    others = (
        tuple(Fraction(n, d) for n in counts)
        for d in range(1, most + 1)
        for counts in product(range(d + 1), repeat=len(law))
        if sum(counts) == d
    )

    def error(made: tuple[Fraction, ...]) -> Fraction:
        return max(abs(a - b) for a, b in zip(made, law, strict=True))

    assert error(found) == min(map(error, others))


@pytest.mark.in_turns(few=True)
def test_polishing_never_lowers_the_ratio_and_only_changes_what_helps() -> None:
    polisher = Polisher(2, 2, Fraction(1), q("1/20"))
    merits = [polisher.merit(two_round())]
    best = two_round()
    for best in polisher.improvements(two_round(), Budget()):
        merits.append(polisher.merit(best))
        assert polisher.worth(best).fixed >= q("1/20")
    assert merits == sorted(merits)
    assert merits[-1][0] > q("991/900")
    assert polisher.worth(best) == worth(best, Fraction(1))


# --- floats agree with the exact solver


@pytest.mark.parametrize("shape", [Shape(2, 2, 2), Shape(3, 2, 2), Shape(2, 3, 2), Shape(2, 2, 3)])
@pytest.mark.parametrize("exp_epsilon", [Fraction(1), q("3/2")])
def test_float_deltas_are_near_the_exact_ones(shape: Shape, exp_epsilon: Fraction) -> None:
    landscape = Landscape(shape, float(exp_epsilon))
    chance = np.random.default_rng(7)
    for _ in range(5):
        weights = chance.integers(1, 20, (shape.laws, shape.outputs))
        laws = tuple(tuple(Fraction(int(w), int(row.sum())) for w in row) for row in weights)
        exact = worth(Tabulated(shape.inputs, shape.horizon, laws), exp_epsilon)
        table = np.array([float(w) for law in laws for w in law])
        assert landscape.deltas(table) == pytest.approx((float(exact.fixed), float(exact.adaptive)), abs=1e-12)
        assert sum(len(c.streams) for c in landscape._challenges) == shape.rows


def test_every_step_of_a_climb_goes_up() -> None:
    landscape = Landscape(Shape(2, 2, 2), 2.0)
    table = landscape.start(np.random.default_rng(3), 0.05)
    assert table is not None
    ratios = []
    for higher in landscape.climb(table, 0.05, Budget()):
        fixed, adaptive = landscape.deltas(higher)
        assert fixed >= 0.05
        assert higher.reshape(-1, 2).sum(axis=1) == pytest.approx(1)
        ratios.append(adaptive / fixed)
    assert ratios == sorted(ratios)
    assert len(ratios) > 1


# --- the search


LARGE = [(e, least, seed) for e, least in (("1", "1.48"), ("2", "1.53"), ("10", "1.88")) for seed in (1, 2)]


@pytest.mark.in_turns
@pytest.mark.parametrize(("exp_epsilon", "least", "seed"), spread(LARGE, 6))
def test_large_gaps_of_two_rounds_on_bits(exp_epsilon: str, least: str, seed: int) -> None:
    answer = answered(replace(SMALL, exp_epsilon=q(exp_epsilon), seed=seed), Budget(max_seconds=60))
    assert answer.core is not None
    assert answer.worth is not None
    assert (answer.restarts, answer.stopped) == (40, None)
    assert answer.worth.ratio > q(least)
    assert answer.worth.fixed >= q("1/20")
    assert max(map(denominator, answer.core.laws)) <= 300
    record = examine(answer.core, exp_epsilons=[q(exp_epsilon)])
    reached = [record[side]["delta"][0]["lower"] for side in ("fixed_stream", "adaptive")]
    assert reached == [str(answer.worth.fixed), str(answer.worth.adaptive)]


@pytest.mark.in_turns
def test_three_rounds_reach_more() -> None:
    asked = TableSearch(Shape(2, 2, 3), Fraction(2), q("1/20"), seed=1, restarts=3)
    answer = answered(asked, Budget(max_seconds=60))
    assert answer.worth is not None
    assert answer.worth.ratio > q("1.7")


@pytest.mark.in_turns
def test_the_same_seed_gives_the_same_answer() -> None:
    asked = replace(SMALL, exp_epsilon=q("3/2"), restarts=3, seed=5)
    assert answered(asked, Budget()) == answered(asked, Budget())
    first, second = (
        [top and top.ratio for top in tops(Restart(asked.shape, q("3/2"), q("1/20"), s, 0), 3, Budget())]
        for s in (5, 6)
    )
    assert first != second


@pytest.mark.in_turns
def test_what_is_written_audits_to_the_printed_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*ARGUMENTS, "--exp-epsilon", "2", "--json", "found.json", "-o", "my_core.py"]) == 0
    printed = capfd.readouterr().out.splitlines()
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))["found"]
    assert printed[0].startswith(f"At e^ε = 2 adaptive adversaries reach δ = {found['adaptive_delta']} (")
    assert f"fixed streams {found['fixed_stream_delta']} (" in printed[0]
    assert f"ratio {found['ratio']} (" in printed[0]
    assert [line.split()[-2:] for line in printed[3:9]] == [law["law"] for law in found["laws"]]
    assert printed[-1] == "  dpcert audit my_core.py:MyCore --exp-epsilon 2"
    assert run([*printed[-1].split()[1:], "--json", "record.json", "--quiet"]) == 1
    record = json.loads(Path("record.json").read_text(encoding="utf-8"))
    for side, key in (("fixed_stream", "fixed_stream_delta"), ("adaptive", "adaptive_delta")):
        assert record[side]["delta"] == [{"exp_epsilon": "2", "lower": found[key], "upper": found[key]}]
    assert record["scope"]["horizon"] == 2
    source = Path("my_core.py").read_text(encoding="utf-8")
    assert all(found[key] in source for key in ("adaptive_delta", "fixed_stream_delta", "ratio"))


CACHED = ("--cache-dir", str(Path(__file__).parents[3] / ".mypy_cache"))
"""What the type checker knows of dpcert itself since `make lint`."""


@pytest.mark.real("programs")
@pytest.mark.in_turns
def test_the_file_is_clean_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*ARGUMENTS, "--exp-epsilon", "1", "--restarts", "12", "-o", "found.py"]) == 0
    project = Path(__file__).parents[3] / "pyproject.toml"
    for tool in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--strict"]):
        options = ["--config-file", str(project), *CACHED] if tool[0] == "mypy" else ["--config", str(project)]
        arguments = [*tool, *options, "found.py"]
        done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.in_turns
def test_json_on_standard_output_is_nothing_but_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([*ARGUMENTS, "--exp-epsilon", "1", "--restarts", "6", "--json", "-"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["schema"] == "dpcert.search/1"
    assert (document["inputs"], document["outputs"], document["horizon"]) == (2, 2, 2)
    laws = tuple(tuple(map(Fraction, law["law"])) for law in document["found"]["laws"])
    value = worth(Tabulated(2, 2, laws), Fraction(1))
    assert [str(v) for v in (value.fixed, value.adaptive, value.ratio)] == [
        document["found"][key] for key in ("fixed_stream_delta", "adaptive_delta", "ratio")
    ]


def test_none_found_is_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(search, "tops", lambda *_: iter([None, floats.Top(1.0, two_round().laws)]))
    assert run([*ARGUMENTS, "--exp-epsilon", "1", "-o", "found.py", "--json", "found.json"]) == 3
    assert capfd.readouterr().out == (
        "No core with a gap was found in 2 restarts with seed 1. That does not show that there is none.\n"
    )
    assert not Path("found.py").exists()
    assert json.loads(Path("found.json").read_text(encoding="utf-8"))["found"] is None


def test_floats_that_promise_too_much_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    half = (q("1/2"), q("1/2"))
    monkeypatch.setattr(search, "tops", lambda *_: iter([floats.Top(1.9, (half,) * 6)]))
    assert answered(SMALL, Budget()).core is None


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (Stopped("--max-seconds 60 was reached"), "the time was over"),
        (Stopped("lost"), "lost"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_what_was_found_before_the_end_is_kept(
    end: BaseException, words: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def ends(*_: Any) -> Iterator[floats.Top]:
        yield floats.Top(1.1, two_round().laws)
        raise end

    monkeypatch.setattr(search, "tops", ends)
    assert run([*ARGUMENTS, "--exp-epsilon", "1"]) == 0
    out = capfd.readouterr().out
    assert out.endswith(f"The best of 1 restart with seed 1 ({words}); there may be better ones.\n")
    assert "ratio 8243/7280 (≈ 1.13229)" in out


@pytest.mark.parametrize("end", [Stopped("over"), KeyboardInterrupt()])
def test_a_climb_that_is_cut_short_keeps_how_far_it_came(end: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    step, steps = Landscape.step, iter(range(100))

    def third_fails(*arguments: Any) -> Any:
        if next(steps) == 2:
            raise end
        return step(*arguments)

    monkeypatch.setattr(Landscape, "step", third_fails)
    found = tops(Restart(Shape(2, 2, 2), Fraction(2), q("1/20"), 1, 0), 5, Budget())
    top = next(found)
    assert top is not None
    assert top.ratio > 1
    with pytest.raises(type(end)):
        next(found)


@pytest.mark.in_turns
def test_others_find_the_same() -> None:
    """Whoever climbs, tops come in the order of their numbers, and the answer is the same."""
    asked = replace(SMALL, restarts=2)
    here, by_two = (answered(asked, Budget(), workers) for workers in (Workers(), Workers(jobs=2)))
    assert here == by_two
    assert here.restarts == 2


def test_others_stop_when_the_time_is_over() -> None:
    budget = Budget(max_seconds=60, allowed=0)
    answer = answered(replace(SMALL, restarts=10**18), budget, Workers(jobs=2))
    assert (answer.core, answer.restarts, answer.stopped) == (None, 0, "the time was over")


@pytest.mark.in_turns(few=True)
def test_a_restart_that_is_lost_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Restart(Shape(2, 2, 2), Fraction(2), q("1/20"), 1, 0)
    told = [climb_for_another(replace(first, number=number)) for number in range(3)]
    answers = [Reply(2, told[2]), Reply(1, lost="its process was lost 4 times"), Reply(0, told[0])]
    monkeypatch.setattr(Calls, "replies", lambda *_: iter(answers))
    found = tops(first, 3, Budget(), Workers(jobs=2))
    assert [next(found), next(found)] == [told[0][0], told[2][0]]
    with pytest.raises(Stopped, match="a restart was lost: its process was lost 4 times"):
        next(found)


REFUSED = [
    ({"--inputs": "1"}, ["at least 2", "inputs=1"]),
    ({"--outputs": "1"}, ["at least 2", "outputs=1"]),
    ({"--horizon": "1"}, ["at least 2", "horizon=1"]),
    ({"--horizon": "0"}, ["at least 1", "horizon=0"]),
    ({"--horizon": "99999999999"}, ["at most 5000", "horizon=99999999999"]),
    ({"--inputs": "9", "--outputs": "9"}, ["at most 5000", "inputs=9, outputs=9, horizon=2"]),
    ({"--exp-epsilon": "1/2"}, ["1 to 1000", "exp_epsilon=1/2"]),
    ({"--exp-epsilon": "1001"}, ["1 to 1000", "exp_epsilon=1001"]),
    ({"--exp-epsilon": "e"}, ["3/2", "exp_epsilon='e'"]),
    ({"--least-delta": "0"}, ["at least 1e-9", "least_delta=0"]),
    ({"--least-delta": "1"}, ["below 1", "least_delta=1"]),
    ({"--restarts": "0"}, ["at least 1", "restarts=0"]),
    ({"--seconds": "-1"}, ["at least 1", "seconds=-1"]),
    ({"-o": "dpcert.py"}, ["a name of one's own", "dpcert.py"]),
    ({"-o": "-"}, ["NAME.py", "name=-"]),
    ({"--jobs": "2", "--scheduler": "tcp://127.0.0.1:1"}, ["--jobs or --scheduler but got both"]),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_bad_input_is_one_line(changes: dict[str, str], words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    options = {"--inputs": "2", "--outputs": "2", "--horizon": "2", "--exp-epsilon": "2", **changes}
    assert run(["search", *(part for option in options.items() for part in option)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("dpcert: Expected ")
    assert err.count("\n") == 1
    assert all(word in err for word in words), err


@pytest.mark.parametrize("missing", ["--inputs", "--outputs", "--horizon", "--exp-epsilon"])
def test_what_has_to_be_said(missing: str, capfd: pytest.CaptureFixture[str]) -> None:
    options = {"--inputs": "2", "--outputs": "2", "--horizon": "2", "--exp-epsilon": "2"}
    del options[missing]
    assert run(["search", *(part for option in options.items() for part in option)]) == 2
    assert capfd.readouterr().err == f"dpcert: Missing option '{missing}'.\n"


def test_swapping_labels_changes_nothing() -> None:
    """The larger of both orders of worlds: relabelling inputs of round 1 or outputs leaves the worth alone."""
    core, value = two_round(), worth(two_round(), q("51/50"))
    for swapped in permutations((0, 1)):
        table = {(swapped[p[0]], *p[1:]): tuple(law[y] for y in swapped) for p, law in core.table.items()}
        assert worth(Tabulated(2, 2, tuple(table[p] for p in prefixes(2, 2))), q("51/50")) == value
