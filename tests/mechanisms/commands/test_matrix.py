"""`dpcert matrix`: golden runs, a document that fits its schema, a page, and bad input in one line."""

import json
import pickle
import re
from fractions import Fraction
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.matrices.encoder import DenseEncoder
from dpcert.mechanisms.matrices.nuclear import nuclear_norm
from dpcert.mechanisms.matrices.released_error import SumErrors, sum_errors
from dpcert.mechanisms.matrices.square_root import square_root
from dpcert.mechanisms.matrices.tree import TreeEncoder
from dpcert.mechanisms.matrices.workloads import named_workload

SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "matrix-1.json").read_text(encoding="utf-8"))
NOISE = ("--sigma", "2", "--clip", "1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tree.json").write_text('{"strategy": "binary-tree", "rounds": 8}', encoding="utf-8")
    Path("root.json").write_text('{"strategy": "square-root"}', encoding="utf-8")
    ahead = np.tril(np.ones((4, 4)))
    ahead[1, 3] = 0.25
    np.save("ahead.npy", ahead)


def document(capfd: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert run(["matrix", *arguments, "--json", "-"]) == status
    out, err = capfd.readouterr()
    assert err == ""
    made = json.loads(out)
    jsonschema.validate(made, SCHEMA)
    return dict(made)


def exactly(value: str) -> dict[str, str]:
    return {"lower": value, "upper": value}


def test_a_tree_of_eight_rounds(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "tree.json", *NOISE, "--delta", "1e-5")
    assert made["sensitivity"]["l2_squared"] == made["sensitivity"]["l1"] == exactly("4")
    assert made["sensitivity"]["attained_by"] == [{"round": 1, "sign": 1, "direction": None}]
    assert (made["gaussian"]["mu"], made["gaussian"]["rho"]) == (exactly("1"), exactly("1/2"))
    (at,) = made["gaussian"]["epsilon"]
    assert Fraction("4.37717") < Fraction(at["lower"]) < Fraction(at["upper"]) < Fraction("4.37718")
    assert made["error"]["largest"] == exactly("12")  # 7 = 4 + 2 + 1, times sigma^2
    assert made["error"]["mean"] == exactly("13/2")
    assert [one["verdict"] for one in made["checklist"]] == ["HOLDS"] * 5
    assert made["checklist"][3]["rung"] == "VECTOR"


def test_replacing_one_record_doubles_mu(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "tree.json", *NOISE, "--neighbours", "replace-one")
    assert (made["change"], made["gaussian"]["mu"]) == ("2", exactly("2"))


def test_participations_of_a_tree_against_all_patterns(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "tree.json", *NOISE, "--max-participations", "3", "--min-separation", "3")
    nodes = [(start, length) for length in (1, 2, 4, 8) for start in range(0, 8, length)]
    patterns = [p for p in product(range(8), repeat=3) if p[1] >= p[0] + 3 and p[2] >= p[1] + 3]
    best = max(sum(sum(s <= i < s + n for i in p) ** 2 for s, n in nodes) for p in patterns)
    assert made["sensitivity"]["l2_squared"] == exactly(str(best))
    assert made["sensitivity"]["justification"] == "fully adaptive Gaussian composition"


@pytest.mark.in_turns
def test_six_participations_in_a_tree_of_two_thousand_rounds(capfd: pytest.CaptureFixture[str]) -> None:
    """313 rounds strictly between two: a squared sensitivity of 79, and rho = 79 / (2 * 7^2)."""
    Path("long.json").write_text('{"strategy": "binary-tree", "rounds": 2000}', encoding="utf-8")
    arguments = ("--sigma", "7", "--clip", "1", "--max-participations", "6", "--min-separation", "314")
    made = document(capfd, "long.json", *arguments, "--claim", "rho=79/98")
    assert made["sensitivity"]["l2_squared"] == exactly("79")
    assert made["gaussian"]["rho"] == exactly("79/98")
    assert made["verdict"] == "HOLDS"


def test_the_square_root_of_prefix_sums(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "root.json", "--horizon", "11", *NOISE)
    column = [Fraction(1)]
    for k in range(1, 11):
        column.append(column[-1] * Fraction(2 * k - 1, 2 * k))
    squared = sum(f * f for f in column)
    assert Fraction(made["sensitivity"]["l2_squared"]["upper"]) == squared
    assert Fraction(made["gaussian"]["rho"]["upper"]) == squared / 8
    largest = made["error"]["largest"]  # L = R, so that the last row is a column backwards
    assert Fraction(largest["lower"]) <= 4 * squared <= Fraction(largest["upper"])


def test_an_entry_that_looks_ahead_is_refuted(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "ahead.npy", *NOISE, "--claim", "mu=100", status=1)
    assert made["checklist"][0]["witness"] == {"row": 2, "round": 2, "column": 4, "entry": "1/4"}
    assert [one["verdict"] for one in made["checklist"]] == ["REFUTED", "HOLDS", "HOLDS", "UNDECIDED", "HOLDS"]
    assert made["claims"][0]["verdict"] == "UNDECIDED"  # of fixed inputs alone
    assert made["gaussian"]["adaptive"] is False
    assert made["sensitivity"]["justification"] is None
    assert made["verdict"] == "REFUTED"


@pytest.mark.in_turns
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("mu=1", "HOLDS"), ("mu=0.999999", "REFUTED"), ("rho=1/2", "HOLDS"), ("rho=0.499999", "REFUTED"),
        ("eps=4.37718,delta=1e-5", "HOLDS"), ("eps=4.37717,delta=1e-5", "REFUTED"), ("eps=5", "REFUTED"),
        ("eps=0,delta=1", "HOLDS"), ("mu=0", "REFUTED"),
    ],
)  # fmt: skip
def test_claims_about_mu_of_one(claim: str, verdict: str, capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, "tree.json", *NOISE, "--claim", claim, status={"HOLDS": 0, "REFUTED": 1}[verdict])
    assert (made["claims"][0]["verdict"], made["verdict"]) == (verdict, verdict)


def test_a_claim_within_an_enclosure_is_left_open(capfd: pytest.CaptureFixture[str]) -> None:
    """Three columns with products of mixed signs: vectors attain 9 at an angle that no fraction is."""
    turned = np.zeros((6, 3))
    for row, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        turned[row, i], turned[row, j] = 1, -1
    np.save("turned.npy", turned)
    Path("rows.txt").write_text("3 3 3 3 3 3", encoding="utf-8")
    arguments = ("turned.npy", "--rounds", "rows.txt", "--max-participations", "3", "--min-separation", "1")
    made = document(capfd, *arguments, *NOISE, "--claim", "rho=9/8", status=3)
    between = made["sensitivity"]["l2_squared"]
    assert Fraction(between["lower"]) < 9 < Fraction(between["upper"])
    assert made["claims"][0]["verdict"] == "UNDECIDED"
    assert all(one["direction"] for one in made["sensitivity"]["attained_by"])
    scalar = document(capfd, *arguments, *NOISE, "--stream", "scalar")
    assert scalar["sensitivity"]["l2_squared"] == exactly("8")


def test_the_errors_are_those_of_the_matrices() -> None:
    entries = np.tril(np.random.default_rng(7).integers(1, 9, (9, 9)) / 4)
    found = sum_errors(DenseEncoder(entries), named_workload("prefix"))
    assert isinstance(found, SumErrors)
    rows = np.square(np.tril(np.ones((9, 9))) @ np.linalg.inv(entries)).sum(axis=1)
    assert found.largest.lower * (1 - Fraction(1, 10**9)) <= Fraction(rows.max())
    assert Fraction(rows.max()) <= found.largest.upper * (1 + Fraction(1, 10**9))
    assert abs(found.mean.upper / Fraction(rows.mean()) - 1) < Fraction(1, 10**9)
    assert found.least is not None
    assert found.least.upper <= found.mean.lower
    nuclear = np.linalg.svd(np.tril(np.ones((9, 9))), compute_uv=False).sum()
    assert abs(nuclear_norm(9).lower / Fraction(nuclear) - 1) < Fraction(1, 10**12)
    window = sum_errors(square_root(9), named_workload("window=2"))
    assert isinstance(window, SumErrors)
    banded = np.tril(np.ones((9, 9))) - np.tril(np.ones((9, 9)), -2)
    root = np.array([[float(f) for f in square_root(9).columns([i]).values[0]] for i in range(9)]).T
    decoder = banded @ np.linalg.inv(root / root[0, 0])
    assert abs(window.largest.upper / Fraction(np.square(decoder).sum(axis=1).max()) - 1) < Fraction(1, 10**9)
    assert window.least is not None
    singular = np.linalg.svd(banded, compute_uv=False).sum()
    column = Fraction(float(np.square(root[:, 0] / root[0, 0]).sum()))
    assert abs(window.least.lower / (Fraction(float(singular**2)) / 81 / column) - 1) < Fraction(1, 10**9)
    assert window.least.upper <= window.mean.lower


def test_the_page_draws_the_column_norms(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", "tree.json", *NOISE, "--html", "page.html"]) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    for words in ("Checklist 1", "Sensitivity", "Squared norms of the columns, by round", "<svg", "zero-out"):
        assert words in page
    assert "HOLDS: against inputs that adapt" in capfd.readouterr().out


@pytest.mark.in_turns
def test_a_decoder_is_compared_with_the_workload(capfd: pytest.CaptureFixture[str]) -> None:
    """L of the tree with 8 rounds, as a file; and of float32, which is off by no more than it rounds."""
    decoder = TreeEncoder(8).decoder()
    np.save("left.npy", decoder)
    made = document(capfd, "tree.json", *NOISE, "--decoder", "left.npy")
    assert (made["error"]["decoder"], made["error"]["difference"]) == ("L as it is given", exactly("0"))
    assert made["error"]["largest"] == exactly("12")
    np.save("half.npy", np.eye(3) / 2)
    np.save("root.npy", np.tril(np.full((3, 3), 2.0)))
    assert document(capfd, "root.npy", *NOISE, "--decoder", "half.npy")["error"]["largest"] == exactly("1")
    np.save("thirds.npy", np.tril(np.full((3, 3), 3.0)))
    np.save("single.npy", (np.eye(3) / 3).astype(np.float32))
    made = document(capfd, "thirds.npy", *NOISE, "--decoder", "single.npy")
    assert 0 < Fraction(made["error"]["difference"]["upper"]) < Fraction(1, 10**7)


@pytest.mark.in_turns
def test_a_strategy_names_its_workload(capfd: pytest.CaptureFixture[str]) -> None:
    """Momentum, windows and learning rates, in the description, in a file of their own or by name: the same errors."""
    rates = {"rates": [1, 0.5, 0.25], "momentum": 0.9}
    square = {"strategy": "toeplitz", "coefficients": [1, 0.5, 0.25]}
    Path("sums.json").write_text(json.dumps(rates), encoding="utf-8")
    Path("plain.json").write_text(json.dumps(square), encoding="utf-8")
    Path("whole.json").write_text(json.dumps({**square, "workload": rates}), encoding="utf-8")
    made = document(capfd, "whole.json", *NOISE)
    assert made == {**document(capfd, "plain.json", *NOISE, "--workload", "sums.json"), "file": "whole.json"}
    assert made == document(capfd, "whole.json", *NOISE, "--workload", "whole.json")
    assert made["workload"] == "momentum=9/10 3 learning rates"
    encoder = np.array([[1, 0, 0], [0.5, 1, 0], [0.25, 0.5, 1]])
    wanted = np.array([[1, 0, 0], [1.45, 0.5, 0], [1.6525, 0.725, 0.25]])
    rows = np.square(wanted @ np.linalg.inv(encoder)).sum(axis=1)
    assert float(Fraction(made["error"]["largest"]["upper"])) == pytest.approx(4 * rows.max())
    for said in ("prefix", "window=2", "momentum=0.5"):
        Path("named.json").write_text(json.dumps({**square, "workload": said}), encoding="utf-8")
        by_name = document(capfd, "plain.json", *NOISE, "--workload", said)
        assert document(capfd, "named.json", *NOISE) == {**by_name, "file": "named.json"}


def test_a_page_of_even_entries_and_numbers_rounded_outward(capfd: pytest.CaptureFixture[str]) -> None:
    """Multiples of 2 are whole numbers over a negative power of it; a rho of 2/3 is no decimal: both ends."""
    np.save("even.npy", np.tril(np.full((3, 3), 2.0)))
    assert run(["matrix", "even.npy", "--sigma", "3", "--clip", "1", "--html", "page.html"]) == 0
    assert "rho in [0.6666666666, 0.6666666667]" in capfd.readouterr().out
    assert "at most 2<" in Path("page.html").read_text(encoding="utf-8")


class Loaded:
    """Says how often it was unpickled."""

    times = 0

    def __setstate__(self, state: object) -> None:
        Loaded.times += 1

    def __getstate__(self) -> object:
        return {"unpickled": "never"}


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no noise": (("tree.json", "--sigma", "0", "--clip", "1"), "sigma=0"),
    "a negative clip": (("tree.json", "--sigma", "1", "--clip", "-1"), "clip=-1"),
    "participations that do not fit": (
        ("tree.json", *NOISE, "--max-participations", "3", "--min-separation", "4"), "participations that fit 8 rounds",
    ),
    "epochs that do not fit": (("tree.json", *NOISE, "--epochs", "3", "--rounds-an-epoch", "3"), "fit 8 rounds"),
    "two patterns": (("tree.json", *NOISE, "--adjacent-bins", "--max-participations", "1"), "one of --max-part"),
    "half an epoch": (("tree.json", *NOISE, "--epochs", "3"), "--epochs and --rounds-an-epoch together"),
    "an unknown strategy": (("near.json", *NOISE), "did you mean square-root?"),
    "no rounds": (("root.json", *NOISE), "a parameter rounds"),
    "another horizon": (("ahead.npy", *NOISE, "--horizon", "5"), "a matrix of 5 rounds"),
    "no number": (("nan.npy", *NOISE), "finite entries"),
    "a pickle": (("pickle.npy", *NOISE), "not a pickle"),
    "complex": (("complex.npy", *NOISE), "real numbers"),
    "empty": (("empty.npy", *NOISE), "at least one entry"),
    "no square": (("wide.npy", *NOISE), "as many rows as rounds"),
    "a huge header": (("huge.npy", *NOISE), "at most"),
    "nothing": (("zero.npy", *NOISE), "an entry other than 0"),
    "no delta": (("tree.json", *NOISE, "--delta", "0"), "a delta above 0"),
    "a stream": (("tree.json", *NOISE, "--stream", "x"), "stream='x'"),
    "a workload": (("tree.json", *NOISE, "--workload", "sums"), "workload='sums'"),
    "infinite": (("inf.npy", *NOISE), "finite entries"),
    "an empty .npz": (("empty.npz", *NOISE), "Expected a .npy or .npz of numbers"),
    "an empty file": (("nothing.npy", *NOISE), "Expected a .npy or .npz of numbers"),
    "10 gigabytes": (("tall.npy", *NOISE), "at most"),
    "a header of 10 gigabytes": (("header.npy", *NOISE), "Expected a .npy or .npz of numbers"),
    "a pickle as a file": (("pickle.pkl", *NOISE), "Expected a .npy or .npz of numbers"),
    "a negative sigma": (("tree.json", "--sigma=-1", "--clip", "1"), "sigma=-1"),
    "no separation": (("tree.json", *NOISE, "--max-participations", "2", "--min-separation", "0"), "at least 1"),
    "bins of one round": (("one.json", *NOISE, "--adjacent-bins"), "at least 2 rounds"),
    "a row that no round releases": (("wide.npy", *NOISE, "--rounds", "late.txt"), "a round from 1 to 2 for row 1"),
    "a row of round 0": (("wide.npy", *NOISE, "--rounds", "early.txt"), "a round from 1 to 2 for row 1"),
    "fewer rounds than rows": (("square.npy", *NOISE, "--rounds", "late.txt"), "a round for each of 2 rows"),
    "no square inverse": (("wide.npy", *NOISE, "--form", "inverse"), "a square matrix"),
    "a singular inverse": (("singular.npy", *NOISE, "--form", "inverse"), "0 in row 2"),
    "another product": (("square.npy", *NOISE, "--decoder", "wrong.npy"), "up to 1.25, in row 2 and column 1"),
    "a product far off": (("square.npy", *NOISE, "--decoder", "thirds.npy"), "0.333334 (3002399751580331/9007"),
    "a decoder of other rounds": (("tree.json", *NOISE, "--decoder", "square.npy"), "a decoder of 8 rounds by 15 rows"),
    "a decoder that is no number": (("square.npy", *NOISE, "--decoder", "nan.npy"), "finite entries"),
    "a complex decoder": (("square.npy", *NOISE, "--decoder", "complex.npy"), "real numbers"),
    "a pickled decoder": (("square.npy", *NOISE, "--decoder", "pickle.npy"), "not a pickle"),
    "two workloads": (("window.json", *NOISE, "--workload", "prefix"), "the workload that window.json names"),
    "another number of rates": (("rates.json", *NOISE), "a rate for each of 4 rounds"),
    "a rate that is none": (("rate.json", *NOISE), "a number of a workload"),
    "an unknown key of a workload": (("key.json", *NOISE), "parameter='decay'"),
    "over its own input": (("tree.json", *NOISE, "--json", "tree.json"), "another file"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("near.json").write_text('{"strategy": "squareroot", "rounds": 4}', encoding="utf-8")
    np.save("nan.npy", np.array([[1.0, 0.0], [np.nan, 1.0]]))
    np.save("complex.npy", np.eye(2) * 1j)
    np.save("empty.npy", np.zeros((0, 0)))
    np.save("wide.npy", np.ones((1, 2)))
    np.save("zero.npy", np.zeros((2, 2)))
    np.save("inf.npy", np.array([[np.inf, 0.0], [1.0, 1.0]]))
    np.savez("empty.npz")
    Path("nothing.npy").write_bytes(b"")
    Path("pickle.pkl").write_bytes(pickle.dumps(Loaded()))
    np.save("pickle.npy", np.array([Loaded()], dtype=object), allow_pickle=True)
    np.save("square.npy", np.tril(np.ones((2, 2))))
    np.save("singular.npy", np.array([[1.0, 0.0], [1.0, 0.0]]))
    np.save("wrong.npy", np.array([[1.0, 0.0], [1.25, 1.0]]))
    np.save("thirds.npy", np.diag([1.0, 2 / 3]))
    Path("late.txt").write_text("3", encoding="utf-8")
    Path("early.txt").write_text("0", encoding="utf-8")
    Path("one.json").write_text('{"strategy": "binary-tree", "rounds": 1}', encoding="utf-8")
    described = {
        "window": '"window=2"',
        "rates": '{"rates": [1, 2]}',
        "rate": '{"rates": ["1"]}',
        "key": '{"decay": 1}',
    }
    for file, sums in described.items():
        text = f'{{"strategy": "binary-tree", "rounds": 4, "workload": {sums}}}'
        Path(f"{file}.json").write_text(text, encoding="utf-8")
    whole = Path("wide.npy").read_bytes()
    Path("tall.npy").write_bytes(whole.replace(b"(1, 2)", b"(1250000000,)").replace(b" " * 7, b"", 1))
    long = b"\x93NUMPY\x02\x00" + (10**10 % 2**32).to_bytes(4, "little")
    Path("header.npy").write_bytes(long + whole[10:])
    Path("huge.npy").write_bytes(whole.replace(b"(1, 2)", b"(40000, 40000)").replace(b" " * 8, b"", 1))
    arguments, said = BAD[name]
    Loaded.times = 0
    assert run(["matrix", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(r"dpcert: Expected [^\n]{1,900}\n", err)
    assert said in err
    assert Loaded.times == 0
