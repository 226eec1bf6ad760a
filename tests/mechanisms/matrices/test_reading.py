"""What libraries export is read as it was written; everything else is refused in one line."""

import io
import json
import struct
import zipfile
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from dpcert.audit.errors import ArgumentError
from dpcert.mechanisms.matrices.arrays import read_array, read_rounds
from dpcert.mechanisms.matrices.column_sensitivity import column_sensitivity
from dpcert.mechanisms.matrices.encoder import DenseEncoder
from dpcert.mechanisms.matrices.participations import Once, Separated
from dpcert.mechanisms.matrices.reading import Form, read_encoder
from dpcert.mechanisms.matrices.sensitivity import Stream
from dpcert.mechanisms.matrices.strategies import STRATEGIES, strategy
from dpcert.mechanisms.matrices.toeplitz import banded, toeplitz


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<f2", "<i8", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_read_as_it_was_written(tmp_path: Path, kind: str, order: Any) -> None:
    array = np.asarray([[1, 0], [0.1, 3], [7, 9]]).astype(kind, order=order)
    for name in ("a.npy", "a.npz"):
        path = str(tmp_path / name)
        np.save(path, array) if name == "a.npy" else np.savez_compressed(path, encoder=array)
        found = read_array(path)
        assert found.dtype == np.float64
        assert found.tolist() == array.astype(np.float64).tolist()


def test_a_float32_is_the_number_that_it_holds(tmp_path: Path) -> None:
    np.save(tmp_path / "c.npy", np.array([0.1], dtype=np.float32))
    found = column_sensitivity(read_encoder(str(tmp_path / "c.npy")))
    assert found.l2_squared.upper == Fraction(np.float32(0.1).item()) ** 2 != Fraction(1, 100)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_a_sparse_matrix_is_read_as_scipy_wrote_it(tmp_path: Path, layout: str) -> None:
    array = np.array([[1.5, 0, 0], [0, 0, 0], [2, 0, -3], [0, 4, 0]])
    scipy.sparse.save_npz(tmp_path / "s.npz", scipy.sparse.coo_matrix(array).asformat(layout))
    assert read_array(str(tmp_path / "s.npz")).tolist() == array.tolist()


def test_coefficients_of_the_encoder_or_of_its_inverse(tmp_path: Path) -> None:
    path = str(tmp_path / "c.npy")
    np.save(path, np.array([1.0, -1.0, 0.0]))
    assert read_encoder(path) == toeplitz(np.array([1.0, -1.0, 0.0]))
    found = read_encoder(path, form=Form.INVERSE)
    assert abs(column_sensitivity(found).l2_squared.upper - 3) < Fraction(1, 10**30)


def test_rows_are_released_in_the_rounds_of_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "r.npy", np.array([[1.0, 0], [0, 1], [1, 1]]))
    (tmp_path / "rounds.txt").write_text("1 2\n2\n", encoding="ascii")
    np.save(tmp_path / "rounds.npy", np.array([1, 2, 2]))
    for name in ("rounds.txt", "rounds.npy"):
        rounds = read_rounds(str(tmp_path / name))
        assert rounds == (1, 2, 2)
        assert read_encoder(str(tmp_path / "r.npy"), row_rounds=rounds).row_rounds == rounds


@pytest.mark.parametrize(
    ("said", "rows", "first"),
    [
        ({"strategy": "binary-tree", "rounds": 6}, 10, 3),
        ({"strategy": "tree", "rounds": 6, "arity": 3}, 8, 2),
        ({"strategy": "square-root", "rounds": 3}, 3, Fraction(1) + Fraction(1, 4) + Fraction(9, 64)),
        ({"strategy": "square-root", "rounds": 3, "bandwidth": 2}, 3, Fraction(5, 4)),
        ({"strategy": "toeplitz", "coefficients": [1, 0.5, 0.25]}, 3, Fraction(21, 16)),
        ({"strategy": "toeplitz", "coefficients": [1, 0.5, 0.25], "bandwidth": 1}, 3, 1),
        ({"strategy": "inverse-toeplitz", "coefficients": [1, -1]}, 2, 2),
        ({"strategy": "column-normalised", "rounds": 4, "bandwidth": 2}, 4, 1),
        ({"strategy": "buffered", "decay": [0.5], "scale": [0.5], "rounds": 3}, 3, Fraction(21, 16)),
        ({"buf_decay": [0.5], "output_scale": [0.5], "rounds": 3}, 3, Fraction(21, 16)),
    ],
)
def test_a_strategy_by_its_name(tmp_path: Path, said: dict[str, Any], rows: int, first: Fraction) -> None:
    (tmp_path / "s.json").write_text(json.dumps(said), encoding="utf-8")
    encoder = read_encoder(str(tmp_path / "s.json"))
    assert len(encoder.row_rounds) == rows
    assert abs(column_sensitivity(encoder).l2_squared.upper - first) < Fraction(1, 2**40)


def test_every_strategy_is_tried_above() -> None:
    tried = {"binary-tree", "tree", "square-root", "toeplitz", "inverse-toeplitz", "column-normalised", "buffered"}
    assert tried == set(STRATEGIES)


def header_of(shape: str, kind: str = "<f8") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def saved(array: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def zipped(**members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return held.getvalue()


def sparse(**changed: np.ndarray) -> bytes:
    parts = {
        "format": np.array(b"csr"),
        "shape": np.array([2, 2]),
        "data": np.array([1.0, 2.0]),
        "indices": np.array([0, 1]),
        "indptr": np.array([0, 1, 2]),
    }
    return zipped(**{name: saved(array) for name, array in (parts | changed).items()})


PICKLE = np.array([{"a": 1}], dtype=object)
HOSTILE = {
    "not a number": (saved(np.array([[1.0, np.nan]])), r"finite entries but got .*nan at \[1, 2\]"),
    "infinite": (saved(np.array([np.inf])), "finite entries"),
    "empty": (saved(np.zeros((0, 3))), "at least one entry"),
    "complex": (saved(np.array([1j])), "real numbers of at most 64 bits but got .*complex128"),
    "a pickle": (b"", "never loaded"),
    "text": (saved(np.array(["a"])), "real numbers"),
    "ten gigabytes": (header_of("(1250000000,)"), "at most 134217728 entries but got .*1250000000"),
    "more than there is": (header_of("(1000, 1000)"), "0 bytes for 8000000"),
    "negative": (header_of("(-2, 3)"), "Expected"),
    "no header": (b"\x93NUMPY\x01\x00\x10\x00hello", "npy or .npz of numbers"),
    "nothing": (b"", "npy or .npz of numbers"),
    "something": (b"hello, this is no array at all", "npy or .npz of numbers"),
    "large whole numbers": (saved(np.array([2**62 + 1])), r"size at most 2\^53"),
    "two arrays": (zipped(a=saved(np.eye(2)), b=saved(np.eye(2))), "one array but got .*a, b"),
    "no arrays": (zipped(), "npy"),
    "half a zip": (zipped(a=saved(np.eye(9)))[:200], "npy or .npz of numbers"),
    "ten gigabytes, zipped": (zipped(a=header_of("(1250000000,)")), "at most 134217728 entries"),
    "another layout": (sparse(format=np.array(b"bsr")), "layout among csr, csc, coo but got .*bsr"),
    "a sparse giant": (sparse(shape=np.array([10**6, 10**6])), "at most 134217728 entries"),
    "a place twice": (sparse(indices=np.array([0, 0]), indptr=np.array([0, 2, 2])), "once"),
    "a place outside": (sparse(indices=np.array([0, 2])), "from 0 to 1"),
    "rows that do not end": (sparse(indptr=np.array([0, 1, 3])), "from 0 to 2"),
    "rows that go back": (sparse(indptr=np.array([0, 2, 1])), "indptr"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_matrix_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, words = HOSTILE[name]
    path = tmp_path / "hostile"
    if name == "a pickle":
        np.save(tmp_path / "p.npy", PICKLE, allow_pickle=True)
        content = (tmp_path / "p.npy").read_bytes()
    path.write_bytes(content)
    with pytest.raises(ArgumentError, match=words) as caught:
        read_array(str(path))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for read in (read_array, read_rounds, read_encoder):
        with pytest.raises(ArgumentError, match="No such file"):
            read(str(tmp_path / "none.npy"))
    with pytest.raises(ArgumentError, match="No such file"):
        read_encoder(str(tmp_path / "none.json"))
    (tmp_path / "words.txt").write_text("1 two", encoding="ascii")
    with pytest.raises(ArgumentError, match="a whole number for every row"):
        read_rounds(str(tmp_path / "words.txt"))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"strategy": "binary-three", "rounds": 6}, "but got binary-three; did you mean binary-tree?"),
        ({"strategy": 3}, "a strategy among binary-tree"),
        ([], "a table"),
        ({"strategy": "binary-tree"}, "a parameter rounds of the strategy binary-tree"),
        ({"strategy": "binary-tree", "rounds": 4, "arity": 3}, "parameter='arity'"),
        ({"strategy": "binary-tree", "rounds": "4"}, "a whole number but got rounds='4'"),
        ({"strategy": "binary-tree", "rounds": True}, "a whole number but got rounds=True"),
        ({"strategy": "binary-tree", "rounds": 0}, "rounds=0"),
        ({"strategy": "tree", "rounds": 4, "arity": 1}, "arity=1"),
        ({"strategy": "square-root", "rounds": 4, "bandwidth": 5}, "bandwidth=5"),
        ({"strategy": "toeplitz", "coefficients": []}, "a list of numbers"),
        ({"strategy": "toeplitz", "coefficients": [1, "2"]}, "a list of numbers but got coefficients='2'"),
        ({"strategy": "toeplitz", "coefficients": [10**400]}, "range of float64"),
        ({"strategy": "inverse-toeplitz", "coefficients": [0, 1]}, "a first coefficient other than 0"),
        ({"strategy": "buffered", "decay": [0.5, 0.1], "scale": [0.5], "rounds": 3}, "decay=2, scale=1"),
        ({"strategy": "buffered", "decay": [1.5], "scale": [0.5], "rounds": 3}, "decays of size at most 1"),
        ({"decay": [0.5], "scale": [0.5]}, "a parameter rounds of the strategy buffered"),
    ],
)
def test_what_is_no_strategy_is_refused(said: object, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        strategy(said)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "JSON"),
        ('{"strategy": "toeplitz", "coefficients": [NaN]}', "finite numbers"),
        ('{"strategy": "toeplitz", "coefficients": [1e999]}', "finite entries"),
        ('{"strategy": "binary-tree", "rounds": 3, "rounds": 4}', "every key once"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "s.json").write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError, match=words) as caught:
        read_encoder(str(tmp_path / "s.json"))
    assert "\n" not in str(caught.value)


def test_the_rounds_of_a_description_are_those_asked_for() -> None:
    assert strategy({"decay": [0.5], "scale": [0.5]}, 7).rounds == 7
    with pytest.raises(ArgumentError, match="a description of 7 rounds but got rounds=8"):
        strategy({"strategy": "binary-tree", "rounds": 8}, 7)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DenseEncoder(np.ones((3, 2))), "as many rows as rounds, or the round of every row"),
        (lambda: DenseEncoder(np.ones((3, 2)), (1, 2)), "a round for each of 3 rows"),
        (lambda: DenseEncoder(np.ones((3, 2)), (1, 2, 3)), "a round from 1 to 2 for row 3 but got round=3"),
        (lambda: DenseEncoder(np.ones((3, 2)), (1, 0, 2)), "a round from 1 to 2 for row 2 but got round=0"),
        (lambda: DenseEncoder(np.ones(3)), "a matrix of rows by rounds"),
        (lambda: DenseEncoder(np.array([[np.nan]])), "finite entries"),
        (lambda: toeplitz(np.eye(2)), "one dimension"),
        (lambda: toeplitz([Fraction(1, 3)]), "powers of two but got coefficients=1/3"),
        (lambda: toeplitz([]), "from 1 to"),
        (lambda: banded(toeplitz([Fraction(1)]), 2), "bandwidth=2"),
    ],
)
def test_what_is_no_encoder_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        make()


def test_a_matrix_that_is_no_inverse_is_refused(tmp_path: Path) -> None:
    for number, (array, words) in enumerate(
        [
            (np.ones((2, 3)), "a square matrix, or the coefficients of an inverse"),
            (np.array([[1.0, 1.0], [0.0, 1.0]]), "an entry in row 1, column 2"),
            (np.array([[1.0, 0.0], [1.0, 0.0]]), "0 in row 2"),
            (np.eye(300) - 2 * np.tril(np.ones((300, 300)), -1), "an inverse that floats are enough for"),
        ]
    ):
        np.save(tmp_path / f"{number}.npy", array)
        with pytest.raises(ArgumentError, match=words):
            read_encoder(str(tmp_path / f"{number}.npy"), form=Form.INVERSE)
    np.save(tmp_path / "r.npy", np.eye(2))
    with pytest.raises(ArgumentError, match="no rounds of rows with an inverse"):
        read_encoder(str(tmp_path / "r.npy"), form=Form.INVERSE, row_rounds=(1, 2))


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_inverse_holds_the_exact_encoder(seed: int, tmp_path: Path) -> None:
    """Against rational forward substitution."""
    draw = Random(seed)
    rounds = draw.randint(1, 7)
    rows = [
        [draw.randint(-8, 8) / 8 if i < t else draw.choice([-1.5, 0.5, 1.0]) for i in range(t + 1)]
        for t in range(rounds)
    ]
    np.save(tmp_path / "n.npy", np.array([row + [0.0] * (rounds - len(row)) for row in rows]))
    exact = [[Fraction(0)] * rounds for _ in range(rounds)]
    for t, row in enumerate(rows):
        for i in range(t + 1):
            total = Fraction(int(t == i)) - sum(Fraction(row[s]) * exact[s][i] for s in range(t))
            exact[t][i] = total / Fraction(row[t])
    found = read_encoder(str(tmp_path / "n.npy"), form=Form.INVERSE)
    values, bits, radius = found.columns(range(rounds))
    for i, column in enumerate(values):
        for t, value in enumerate(column):
            assert abs(exact[t][i] * 2**bits - value) <= radius
    squares = [sum(row[i] ** 2 for row in exact) for i in range(rounds)]
    norms = found.squared_norms()
    assert all(a <= s * 2**norms.bits <= b for a, s, b in zip(norms.lower, squares, norms.upper, strict=True))
    once = column_sensitivity(found, Once()).l2_squared
    assert once.lower <= max(squares) <= once.upper < once.lower + Fraction(1, 10**9)
    pairs = [(i, j) for i in range(rounds) for j in range(i + 1, rounds)]
    best = max([*squares, *(sum((r[i] + s * r[j]) ** 2 for r in exact) for i, j in pairs for s in (1, -1))])
    if pairs:
        twice = column_sensitivity(found, Separated(2, 1), stream=Stream.SCALAR).l2_squared
        assert twice.lower <= best <= twice.upper < twice.lower + Fraction(1, 10**6)
    np.save(tmp_path / "c.npy", np.ones(2))
    with pytest.raises(ArgumentError, match="two dimensions"):
        read_encoder(str(tmp_path / "c.npy"), row_rounds=(1, 2))


def refusal(read: Any, path: Path) -> str:
    """What it says of the file that it refuses; nothing of one that it reads."""
    try:
        read(str(path))
    except ArgumentError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", ["npy", "npz", "sparse"])
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path: Path, kind: str) -> None:
    whole = {"npy": saved(np.eye(4)), "npz": zipped(a=saved(np.eye(4))), "sparse": sparse()}[kind]
    random, said = Random(5), list[str]()
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(random.randint(1, 4)):
            damaged[random.randrange(len(damaged))] = random.choice((0, 255, random.randrange(256)))
        (tmp_path / "damaged").write_bytes(damaged[: random.choice((len(damaged), random.randrange(len(damaged))))])
        said += [refusal(read_array, tmp_path / "damaged"), refusal(read_rounds, tmp_path / "damaged")]
    assert sum(map(bool, said)) > 40
    assert not any("\n" in text for text in said)
