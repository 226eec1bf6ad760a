"""Matrices as libraries export them: `.npy` and `.npz`, dense or sparse, of floats or whole numbers; never a pickle."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dpcert.audit.algebra.rational import integer_text
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.mechanisms.matrices.dyadic import MANTISSA_BITS, Floats, finite
from dpcert.mechanisms.matrices.encoder import MOST_ENTRIES

MOST_HEADER = 10_000
"""Bytes of an array's header."""
MOST_MEMBERS = 1_000
"""Arrays in one `.npz`."""
MOST_ROUNDS_BYTES = 100_000_000
"""Bytes of a text with the round of every row."""
KINDS = "fiub"
SPARSE = ("csr", "csc", "coo")
"""Layouts of scipy.sparse that are read."""


class _Header(NamedTuple):
    """What an array's header says of what follows it."""

    shape: tuple[int, ...]
    in_columns: bool
    kind: np.dtype[Any]


def read_array(path: str) -> Floats:
    """The float64 array in a file, exactly what was written: float32, float16 and whole numbers are float64 too.

    Args:
        path: A `.npy`, an `.npz` that holds one array, or one that scipy.sparse wrote.
    Raises: ArgumentError: no such file, no array, complex numbers or objects, an entry that is no finite number, or
        more entries than are read; before anything of that size is allocated.
    """
    with _reading(path) as file:
        if file.read(4) == b"PK\x03\x04":
            return _finite_in(_zipped(file, path), path)
        file.seek(0)
        return _finite_in(_array(file, Path(path).stat().st_size, path), path)


@contextmanager
def _reading(path: str) -> Iterator[IO[bytes]]:
    """The open file. Raises: ArgumentError: whatever is wrong with it, in one line."""
    try:
        with Path(path).open("rb") as file:
            yield file
    except ArgumentError:
        raise
    except OSError as error:
        raise ArgumentError(f"Expected a matrix in a file but got {one_line(path)}: {one_line(str(error))}") from None
    except Exception as error:  # noqa: BLE001 - a hostile file may make its readers raise anything
        what = one_line(str(error)) or type(error).__name__
        raise ArgumentError(f"Expected a .npy or .npz of numbers but got {one_line(path)}: {what}") from None


def _finite_in(array: Floats, path: str) -> Floats:
    return finite(array, one_line(path, 100))


def _array(file: IO[bytes], size: int, path: str) -> Floats:
    """One array of `size` bytes, header and all."""
    header = _header(file, path)
    count = prod(header.shape)
    if count > MOST_ENTRIES:
        raise expected(f"at most {MOST_ENTRIES} entries", **{one_line(path, 100): f"an array of shape {header.shape}"})
    if count == 0:
        raise expected("at least one entry", **{one_line(path, 100): f"an array of shape {header.shape}"})
    rest = size - file.tell()
    if rest != count * header.kind.itemsize:
        told = f"{rest} bytes for {integer_text(count * header.kind.itemsize)}"
        raise expected("as many bytes as the header tells of", **{one_line(path, 100): told})
    flat = np.frombuffer(file.read(rest), dtype=header.kind)
    return as_floats(flat.reshape(header.shape, order="F" if header.in_columns else "C"), path)


def _header(file: IO[bytes], path: str) -> _Header:
    """Shape, order and type, of an array of real numbers. Raises: ArgumentError: of anything else."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, in_columns, kind = read(file, max_header_size=MOST_HEADER)
    if kind.hasobject:
        raise expected("numbers, not a pickle, which is never loaded", **{one_line(path, 100): "an array of objects"})
    if kind.kind not in KINDS or kind.itemsize > 8:
        raise expected("real numbers of at most 64 bits", **{one_line(path, 100): f"an array of {kind}"})
    if any(n < 0 for n in shape):
        raise expected("a shape of at least 0", **{one_line(path, 100): f"an array of shape {shape}"})
    return _Header(shape, in_columns, kind)


def as_floats(array: NDArray[Any], path: str) -> Floats:
    """The same numbers as float64. Raises: ArgumentError: they are no real numbers, or a whole number is no float."""
    if array.dtype.kind not in KINDS or array.dtype.itemsize > 8:
        raise expected("real numbers of at most 64 bits", **{one_line(path, 100): f"an array of {array.dtype}"})
    floats = array.astype(np.float64)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
        most = max(abs(int(array.max())), abs(int(array.min())))
        if most > 1 << MANTISSA_BITS:
            raise expected(f"whole numbers of size at most 2^{MANTISSA_BITS}", **{one_line(path, 100): most})
    return floats


def _zipped(file: IO[bytes], path: str) -> Floats:
    """The array, or the sparse matrix, in an `.npz`."""
    with ZipFile(file) as archive:
        members = archive.infolist()
        names = {info.filename.removesuffix(".npy"): info for info in members}
        if len(members) > MOST_MEMBERS or len(names) != len(members):
            raise expected("an .npz of differently named arrays", **{one_line(path, 100): f"{len(members)} of them"})
        if "format" in names and "shape" in names:
            return _sparse(archive, names, path)
        if len(names) != 1:
            raise expected("an .npz with one array", **{one_line(path, 100): ", ".join(names) or "none"})
        return _member(archive, members[0], path)


def _member(archive: ZipFile, info: ZipInfo, path: str) -> Floats:
    with archive.open(info) as file:
        return _array(file, info.file_size, f"{path}:{info.filename}")


def _sparse(archive: ZipFile, names: dict[str, ZipInfo], path: str) -> Floats:
    """What scipy.sparse.save_npz wrote, as a dense matrix."""
    layout = _layout(archive, names["format"], path)
    if layout not in SPARSE:
        raise expected(f"a sparse layout among {', '.join(SPARSE)}", **{one_line(path, 100): layout})
    members = ("data", "row", "col") if layout == "coo" else ("data", "indices", "indptr")
    if missing := [name for name in members if name not in names]:
        raise expected(f"arrays {', '.join(members)}", **{one_line(path, 100): f"none named {missing[0]}"})
    shape = _whole(_member(archive, names["shape"], path), MOST_ENTRIES, path)
    if len(shape) != 2 or int(shape[0]) * int(shape[1]) > MOST_ENTRIES:
        raise expected(
            f"a matrix of at most {MOST_ENTRIES} entries", **{one_line(path, 100): f"shape {shape.tolist()}"}
        )
    rows, columns = (int(n) for n in shape)
    data, *places = (_member(archive, names[name], path) for name in members)
    first, second = places
    if layout != "coo":
        ends = _whole(second, len(data), path)
        lines = rows if layout == "csr" else columns
        if len(ends) != lines + 1 or ends[0] != 0 or ends[-1] != len(data) or (np.diff(ends) < 0).any():
            raise expected("indptr that rises from 0 to the number of entries", **{one_line(path, 100): "another"})
        along = np.repeat(np.arange(lines, dtype=np.float64), np.diff(ends))
        first, second = (along, first) if layout == "csr" else (first, along)
    return _filled((rows, columns), first, second, data, path)


def _filled(shape: tuple[int, int], row: Floats, column: Floats, data: Floats, path: str) -> Floats:
    """A dense matrix of entries at places, each named once."""
    if not len(row) == len(column) == len(data):
        raise expected("a row and a column for every entry", **{one_line(path, 100): "more or fewer"})
    i, j = _whole(row, shape[0] - 1, path), _whole(column, shape[1] - 1, path)
    if len(np.unique(i * shape[1] + j)) != len(i):
        raise expected("every place of a sparse matrix once", **{one_line(path, 100): "one twice"})
    found = np.zeros(shape)
    found[i, j] = data
    return found


def _whole(numbers: Floats, most: int, path: str) -> NDArray[np.int64]:
    """Places, from 0 to `most`."""
    if numbers.ndim != 1 or not ((numbers == np.rint(numbers)) & (numbers >= 0) & (numbers <= most)).all():
        raise expected(f"whole numbers from 0 to {most}", **{one_line(path, 100): "places outside the matrix"})
    return numbers.astype(np.int64)


def _layout(archive: ZipFile, info: ZipInfo, path: str) -> str:
    """The name of a layout, as scipy writes it: an array of one text."""
    with archive.open(info) as file:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read(file, max_header_size=MOST_HEADER)
        if kind.hasobject or kind.kind not in "SU" or shape not in ((), (1,)) or kind.itemsize > MOST_HEADER:
            raise expected("the name of a sparse layout", **{one_line(path, 100): f"an array of {kind}"})
        text = np.frombuffer(file.read(kind.itemsize), dtype=kind)[0]
        return one_line(text.decode("ascii", "replace") if isinstance(text, bytes) else str(text), 20)


def read_rounds(path: str) -> tuple[int, ...]:
    """The round of every row: whole numbers in a text, or a `.npy` or `.npz` of them.

    Raises: ArgumentError: no such file, or something else in it.
    """
    with _reading(path) as file:
        start = file.read(6)
        file.seek(0)
        if start[:4] == b"PK\x03\x04" or start == b"\x93NUMPY":
            return tuple(_whole(read_array(path), MOST_ENTRIES, path).tolist())
        text = file.read(MOST_ROUNDS_BYTES + 1)
        words = text.split() if len(text) <= MOST_ROUNDS_BYTES else []
        if not words or any(not word.isdigit() or len(word) > 9 for word in words):
            raise expected("a whole number for every row", **{one_line(path, 100): "something else, or nothing"})
        return tuple(map(int, words))
