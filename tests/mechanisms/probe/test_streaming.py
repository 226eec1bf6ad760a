"""Streaming code is recovered as the matrices that it was written from; what is wrong with it is named, and refuted."""

import json
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from instances.streaming import right, wrong

from dpcert.audit.commands.cli import run
from dpcert.mechanisms.matrices.tree import TreeEncoder

SCHEMA = json.loads(files("dpcert.audit.records").joinpath("schemas", "probe-1.json").read_text(encoding="utf-8"))
RIGHT, WRONG = str(Path(right.__file__)), str(Path(wrong.__file__))
ROUNDS = 8
IDENTITY, SUMS = np.eye(ROUNDS), np.tril(np.ones((ROUNDS, ROUNDS)))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tree.json").write_text('{"strategy": "binary-tree", "rounds": 8}', encoding="utf-8")
    Path("root.json").write_text('{"strategy": "square-root", "rounds": 8}', encoding="utf-8")
    np.save("identity.npy", IDENTITY)


def document(capfd: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> dict[str, Any]:
    assert run(["probe", *arguments, "--json", "-"]) == status, capfd.readouterr()
    out, err = capfd.readouterr()
    assert err == ""
    made = json.loads(out)
    jsonschema.validate(made, SCHEMA)
    return dict(made)


def matrix(rows: list[list[str]]) -> Any:
    return np.array([[float(Fraction(x)) for x in row] for row in rows])


def toeplitz(column: Any) -> Any:
    return np.array([[column[t - i] if t >= i else 0.0 for i in range(ROUNDS)] for t in range(ROUNDS)])


def nodes() -> Any:
    return np.array(TreeEncoder(ROUNDS).columns(range(ROUNDS)).values, dtype=float).T


def squared_mu(response: Any, noise: Any) -> float:
    """max_i of a_i^T (B B^T)^+ a_i, as numpy has it."""
    return float(np.diag(response.T @ np.linalg.pinv(noise @ noise.T) @ response).max())


ROOT = toeplitz(right.coefficients(ROUNDS))
BUFFERS = toeplitz([1.0, *(0.5 * 0.75**t + 0.25 * 0.25**t for t in range(ROUNDS - 1))])
HALVES = toeplitz(0.5 ** np.arange(ROUNDS))
WINDOWS = np.delete(SUMS - np.tril(np.ones((ROUNDS, ROUNDS)), -3), 1, axis=0)
KNOWN: dict[str, tuple[Any, Any]] = {
    "TreeNodes": (nodes(), 2 * np.eye(15)),
    "TreePrefix": (SUMS, 2 * TreeEncoder(ROUNDS).decoder()),
    "square_root_fft": (SUMS, 2 * ROOT),
    "SquareRoot": (SUMS, 2 * ROOT),
    "Banded": (IDENTITY, 2 * toeplitz((-0.5) ** np.arange(ROUNDS))),
    "Buffered": (BUFFERS, 2 * IDENTITY),
    "Momentum": (HALVES, 2 * HALVES),
    "SlidingWindow": (WINDOWS, 2 * np.eye(7)),
    "Restarted": (SUMS, 2 * SUMS),
    "Spawned": (IDENTITY, 2 * IDENTITY),
    "Copied": (IDENTITY, 2 * IDENTITY),
}
"""A and B of the code in `right`."""


@pytest.mark.in_turns
@pytest.mark.parametrize("name", KNOWN)
def test_code_is_recovered_as_its_matrices(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{RIGHT}:{name}", "--claim", "mu=100")
    response, noise = matrix(made["response"]), matrix(made["noise"])
    wanted, draws = KNOWN[name]
    np.testing.assert_allclose(response, wanted, atol=1e-14)
    assert noise.shape[0] == draws.shape[0]
    np.testing.assert_allclose(noise @ noise.T, draws @ draws.T, atol=1e-13)
    mu = [float(Fraction(made["gaussian"]["mu"][end])) for end in ("lower", "upper")]
    assert mu[0] - 1e-12 <= np.sqrt(squared_mu(wanted, draws)) <= mu[1] + 1e-12
    assert mu[1] - mu[0] < 1e-12
    assert made["verdict"] == "HOLDS"
    assert made["claims"][0]["scope"].endswith(
        f"as probed on {made['runs']} runs of 8 rounds, to within 5.685e-14 of a release"
    )
    assert made["faults"] == []


@pytest.mark.in_turns(few=True)
def test_vectors_are_audited_coordinate_by_coordinate(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{RIGHT}:Vectors", "--dimension", "3", "--horizon", "4", "--claim", "mu=1/2")
    assert len(made["releases"]) == 12
    assert made["gaussian"]["mu"] == {"lower": "1/2", "upper": "1/2"}
    several = ("--max-participations", "2", "--min-separation", "1")
    twice = document(capfd, f"{RIGHT}:Vectors", "--dimension", "3", "--horizon", "4", *several)
    assert twice["gaussian"]["rho"]["upper"] == "1/4"  # two columns of the identity, over 2 sigma^2 = 8


@pytest.mark.in_turns
def test_laplace_noise_is_pure(capfd: pytest.CaptureFixture[str]) -> None:
    """Sums of noisy inputs tell the noisy inputs: 1/2 a participation."""
    made = document(capfd, f"{RIGHT}:LaplaceSums", "--claim", "eps=0.5", "--claim", "rho=0.125")
    assert made["pure"] == {"lower": "1/2", "upper": "1/2"}
    assert made["gaussian"] is None
    assert [one["verdict"] for one in made["claims"]] == ["HOLDS", "HOLDS"]
    two = ("--max-participations", "2", "--min-separation", "3")
    made = document(capfd, f"{RIGHT}:LaplaceSums", *two, "--claim", "eps=0.99", status=1)
    assert made["pure"]["lower"] == "1"
    assert document(capfd, f"{RIGHT}:LaplaceSums", "--claim", "mu=9", status=3)["verdict"] == "UNDECIDED"


@pytest.mark.in_turns
def test_strategies_that_are_kept(capfd: pytest.CaptureFixture[str]) -> None:
    for name, file in (("TreeNodes", "tree.json"), ("TreePrefix", "tree.json"), ("SquareRoot", "root.json")):
        made = document(capfd, f"{RIGHT}:{name}", "--strategy", file, "--sigma", "2")
        assert [one["verdict"] for one in made["claims"]] == ["HOLDS", "HOLDS"], name


def test_a_restart_from_what_was_released_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{RIGHT}:Restarted", "--restart", "4", "--claim", "mu=1/2")
    assert made["faults"] == []


def test_the_scale_parameter_is_handed_over(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{RIGHT}:Momentum", "--param", "sigma=4", "--sigma", "4", "--clip", "3")
    assert made["parameters"]["sigma"].startswith("4")
    assert made["gaussian"]["mu"]["upper"] == "3/4"


TREE, INPUTS = ("--strategy", "tree.json"), ("--strategy", "identity.npy")
NAMED: dict[str, tuple[str, tuple[str, ...]]] = {
    "Variance": ("variance where the deviation was meant", ("--sigma", "1/2")),
    "Variance of a strategy": ("variance where the deviation was meant", (*INPUTS, "--sigma", "1/2")),
    "Root": ("root of the deviation where the deviation was meant", ("--sigma", "4")),
    "Redrawn": ("noise drawn anew at each read", (*TREE, "--sigma", "2")),
    "ToldAgain": ("noise drawn anew at each read", ("--claim", "mu=0.9")),
    "Leaves": ("noise reused", (*TREE, "--sigma", "2", "--horizon", "8")),
    "Resumed": ("restart keeps noise", ("--restart", "4")),
    "Folded": ("restart folds noise", ("--restart", "4")),
    "Retold": ("restart tells old inputs again", ("--restart", "4")),
    "looks_ahead": ("looks ahead", ()),
    "Positive": ("not linear in the inputs", ()),
    "Bounded": ("not linear in the noise", ()),
    "Clipped": ("not linear in the inputs", ()),
    "Sparing": ("draws depend on data", ()),
    "Fitted": ("noise scale depends on data", ()),
    "Multiplied": ("noise depends on data", ()),
    "Elsewhere": ("hidden randomness", ()),
    "Seeded": ("released without noise", ("--claim", "eps=100,delta=0.999")),
    "Varying": ("what is released depends on data", ()),
}


OUTSIDE = {"Positive", "Bounded", "Clipped", "Sparing", "Fitted", "Multiplied", "Elsewhere"}
"""No A x + B z: the model is refuted, and what they give away is open."""


@pytest.mark.in_turns
@pytest.mark.parametrize("case", NAMED)
def test_what_is_wrong_is_named(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    name, arguments = NAMED[case]
    code = case.partition(" ")[0]
    status = 3 if case in OUTSIDE else 1
    made = document(capfd, f"{WRONG}:{code}", *arguments, status=status)
    assert name in [fault["name"] for fault in made["faults"]]
    assert made["verdict"] == ("UNDECIDED" if case in OUTSIDE else "REFUTED")
    assert run(["probe", f"{WRONG}:{code}", *arguments]) == status
    out = capfd.readouterr().out
    assert name in out
    assert ("refutes the model" in out) == (case in OUTSIDE)


@pytest.mark.in_turns(few=True)
@pytest.mark.parametrize("case", sorted(OUTSIDE))
def test_what_is_outside_the_model_keeps_no_claim_and_is_no_strategy(
    case: str, capfd: pytest.CaptureFixture[str]
) -> None:
    made = document(capfd, f"{WRONG}:{case}", "--claim", "mu=1000", status=3)
    assert [one["verdict"] for one in made["claims"]] == ["UNDECIDED"]
    assert (made["gaussian"], made["pure"]) == (None, None)
    made = document(capfd, f"{WRONG}:{case}", "--claim", "mu=1000", *INPUTS, "--sigma", "2", status=1)
    assert [one["verdict"] for one in made["claims"]] == ["UNDECIDED", "REFUTED"]


def test_what_is_released_when_tells_neighbours_apart(capfd: pytest.CaptureFixture[str]) -> None:
    """Two numbers instead of one, whatever the noise is: every claim but that of a delta of 1 is refuted."""
    claims = ("--claim", "eps=100,delta=1/2", "--claim", "eps=0,delta=1")
    made = document(capfd, f"{WRONG}:Varying", *claims, status=1)
    assert [one["verdict"] for one in made["claims"]] == ["REFUTED", "HOLDS"]
    assert "tells the two apart" in made["faults"][0]["detail"]
    made = document(capfd, f"{WRONG}:Wavering", *claims, status=3)  # as noise is, so that nothing is told for certain
    assert [one["verdict"] for one in made["claims"]] == ["UNDECIDED", "UNDECIDED"]


def test_what_other_runs_do_not_bear_out_is_not_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpcert.mechanisms.probe.probed.is_borne_out", lambda *_: False)
    made = document(capfd, f"{WRONG}:Leaves", "--claim", "mu=10000", status=3)
    assert made["faults"] == []
    assert made["missing"] == "releases without noise by the matrices were not borne out by other runs"
    assert made["claims"][0]["verdict"] == "UNDECIDED"


def test_noise_that_is_reused_is_not_private_at_all(capfd: pytest.CaptureFixture[str]) -> None:
    """The difference of two leaves has no noise: the witness says which releases, and another run bears it out."""
    made = document(capfd, f"{WRONG}:Leaves", "--claim", "mu=10000", status=1)
    assert made["gaussian"] is None
    assert made["claims"][0]["verdict"] == "REFUTED"
    fault = next(one for one in made["faults"] if one["name"] == "noise reused")
    share = {int(t) - 1: float(Fraction(u)) for t, u in fault["witness"]["combination"].items()}
    told = {int(i) - 1: float(Fraction(a)) for i, a in fault["witness"]["inputs"].items()}
    for seed in range(3):
        inputs = np.random.default_rng(seed).normal(size=8)
        code = wrong.Leaves(np.random.default_rng(seed + 10))
        released = np.concatenate([np.ravel(code.step(x)) for x in inputs])
        assert sum(u * released[t] for t, u in share.items()) == pytest.approx(
            sum(a * inputs[i] for i, a in told.items())
        )


def test_a_clipped_input_is_within_a_smaller_norm(capfd: pytest.CaptureFixture[str]) -> None:
    assert document(capfd, f"{WRONG}:Clipped", "--clip", "0.75")["verdict"] == "HOLDS"


def test_numbers_alone_do_not_refute_what_is_told_again(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a claim it is a remark, and the loss counts it: 1 + 4 releases of the node of rounds 1 and 2."""
    made = document(capfd, f"{WRONG}:ToldAgain")
    assert [fault["refutes"] for fault in made["faults"]] == [False]
    assert made["gaussian"]["rho"] == {"lower": "5/8", "upper": "5/8"}


@pytest.mark.in_turns
@pytest.mark.parametrize("seed", range(12))
def test_random_matrices_against_numpy(seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """y = A x + B z of any shapes, singular ones and causal ones included, through a file of code."""
    random = np.random.default_rng(seed)
    rounds, draws = int(random.integers(2, 7)), int(random.integers(1, 9))
    response = np.tril(random.integers(-4, 5, (rounds, rounds)) / 4)
    noise = random.integers(-4, 5, (rounds, draws)) / 4
    np.save(tmp_path / "response.npy", response)
    np.save(tmp_path / "noise.npy", noise)
    code = (
        "import numpy as np\nfrom pathlib import Path\n"
        "A, B = (np.load(Path(__file__).with_name(name)) for name in ('response.npy', 'noise.npy'))\n"
        "def released(inputs, rng):\n"
        f"    return A @ inputs + B @ rng.standard_normal({draws})\n"
    )
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    assert run(["probe", "code.py:released", "--horizon", str(rounds), "--json", "-"]) in (0, 1, 3)
    made = json.loads(capfd.readouterr().out)
    np.testing.assert_array_equal(matrix(made["response"]), response)
    np.testing.assert_array_equal(matrix(made["noise"]), noise)
    outside = np.linalg.matrix_rank(np.hstack([noise, response])) > np.linalg.matrix_rank(noise)
    assert (made["missing"] == "inputs are told without noise") == outside
    if not outside and response.any():
        mu = made["gaussian"]["mu"]
        assert float(Fraction(mu["upper"])) == pytest.approx(np.sqrt(squared_mu(response, noise)), rel=1e-7)


@pytest.mark.in_turns
def test_rounding_looks_ahead_no_further_than_it_does(capfd: pytest.CaptureFixture[str]) -> None:
    """By FFT every entry above the diagonal is a last bit, and is none; an entry as small that is meant is refuted."""
    inputs = np.random.default_rng(3).normal(size=ROUNDS)
    others = np.append(inputs[:4], -inputs[4:])
    first, second = (right.square_root_fft(x, np.random.default_rng(4), sigma=0.0)[:4] for x in (inputs, others))
    assert not np.array_equal(first, second)
    made = document(capfd, f"{RIGHT}:square_root_fft")
    assert made["checklist"][0]["verdict"] == "HOLDS"
    made = document(capfd, f"{WRONG}:whispers", status=1)
    assert [fault["name"] for fault in made["faults"]] == ["looks ahead"]


def test_the_page_names_what_is_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["probe", f"{WRONG}:Redrawn", *TREE, "--sigma", "2", "--html", "page.html"]) == 1
    page = Path("page.html").read_text(encoding="utf-8")
    for words in ("Linear probe", "noise drawn anew at each read", "Recovered encoder", "Squared norms of the columns"):
        assert words in page
    assert "REFUTED as probed on" in capfd.readouterr().out


def test_a_large_constant_hides_what_is_asked(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{WRONG}:Shifted", "--claim", "mu=10", status=3)
    assert made["missing"] == "a constant hides what inputs and noise do"


@pytest.mark.in_turns(few=True)
def test_draws_of_two_families_are_left_open(capfd: pytest.CaptureFixture[str]) -> None:
    made = document(capfd, f"{WRONG}:Mixed", "--claim", "mu=10", status=3)
    assert made["missing"] == "noise of several families is not accounted for"
    assert document(capfd, f"{WRONG}:Twice", status=3)["missing"].startswith("more Laplace draws than releases")


def test_coordinates_with_noise_in_common_are_found(capfd: pytest.CaptureFixture[str]) -> None:
    """One draw for all coordinates of a vector: their differences have no noise."""
    made = document(capfd, f"{WRONG}:Broadcast", "--dimension", "2", "--horizon", "2", status=1)
    assert [fault["name"] for fault in made["faults"]] == ["noise reused"]
    made = document(capfd, f"{WRONG}:Uneven", "--dimension", "2", "--horizon", "2", status=3)
    assert made["missing"].startswith("coordinates of a vector")
