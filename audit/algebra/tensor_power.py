"""f ⊗ ... ⊗ f, one experiment run n times independently, in integers.

A segment of the result is made of n segments of f, and its likelihood ratio is the product of theirs. As exponents over
a coprime base ratios add, so equal ones meet as equal exponents and are never compared. Where all are powers of one
rational rho > 1, up to a common factor, the exponents of rho are the order too; elsewhere the leading bits of the
ratios decide, and cross-multiplication where these agree.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, groupby
from math import comb, gcd
from operator import itemgetter, mul

from flint import fmpz_mat, fmpz_poly, nmod_mat

from dpcert.audit.algebra.chain import IDENTITY, KEY_BITS, Chain, falling
from dpcert.audit.algebra.lattice import coprime_base, factored
from dpcert.audit.errors import expected
from dpcert.audit.frozen import frozen

SEGMENT_LIMIT = 2_000_000
"""Segments past which a tensor power is refused."""
BYTE_LIMIT = 1 << 31
"""About so many bytes past which a tensor power is refused."""
PRIME = (1 << 61) - 1

Atom = tuple[int, int]
Vector = Sequence[int]


def tensor_power(chain: Chain, n: int) -> Chain:
    """The n-fold tensor product of a chain with itself, that of two equal laws for n = 0.

    Raises: ArgumentError: n is no whole number of at least 0, or the result has more than SEGMENT_LIMIT segments or
        needs more than BYTE_LIMIT bytes.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 0:
        raise expected("a whole number of at least 0", n=n)
    if n == 0:
        return IDENTITY
    if n == 1:
        return chain
    mass0, total0 = _reduced(chain.mass0, chain.total0)
    mass1, total1 = _reduced(chain.mass1, chain.total1)
    body = [(a, b) for a, b in zip(mass0, mass1, strict=True) if a and b]
    copies = _Copies(n, (total0 - 1).bit_length() + (total1 - 1).bit_length())
    copies.check_room(max(1, n * (len(body) - 1) + 1))
    whole0, whole1 = total0**n, total1**n
    # What is no product of body segments is seen in one world only; with a head and a foot in it, in neither.
    foot, head = whole0 - sum(a for a, _ in body) ** n, whole1 - sum(b for _, b in body) ** n
    atoms = [*([(0, head)] if head else []), *_body(body, copies), *([(foot, 0)] if foot else [])]
    return Chain(tuple(a for a, _ in atoms), tuple(b for _, b in atoms), whole0, whole1)


def _reduced(masses: Sequence[int], total: int) -> tuple[list[int], int]:
    """Masses and their total without the common divisor."""
    common = gcd(*masses)
    return [mass // common for mass in masses], total // common


@frozen(slots=True)
class _Copies:
    """How many copies, and the bits that each adds to the masses of one segment."""

    n: int
    bits: int

    def check_room(self, segments: int) -> None:
        """Refuses a result of at least so many segments if that is too many."""
        if segments > SEGMENT_LIMIT:
            raise expected(f"a tensor power of at most {SEGMENT_LIMIT} segments", n=self.n, at_least=segments)
        if (size := segments * self.n * self.bits // 8) > BYTE_LIMIT:
            raise expected(f"a tensor power of at most {BYTE_LIMIT >> 20} MiB", n=self.n, about_mib=size >> 20)


def _body(body: Sequence[Atom], copies: _Copies) -> Iterable[Atom]:
    """The n-fold products of segments of finite, positive ratio, by falling ratio, equal ratios merged."""
    n = copies.n
    if len(body) < 2:
        return [(a**n, b**n) for a, b in body]
    if len(body) == 2:
        (a, b), (c, d) = body
        return zip(_binomial(a, c, n), _binomial(b, d, n), strict=True)
    vectors = _exponents(body)
    powers = _powers_of_one(vectors)
    if powers is None:
        rank = nmod_mat(vectors, PRIME).rank()
        copies.check_room(comb(n + rank, rank))
        return _by_leading_bits(_sparse(body, _codes(_pivots(vectors) if n >= len(body) else vectors, n), copies))
    if n * powers[0] < min(SEGMENT_LIMIT, comb(n + len(body) - 1, n)):
        copies.check_room(n * powers[0] + 1)
        worlds = (_dense(masses, powers, n) for masses in zip(*body, strict=True))
        return ((a, b) for a, b in zip(*worlds, strict=True) if a)
    return _sparse(body, powers, copies)


def _binomial(a: int, b: int, n: int) -> Iterator[int]:
    """The coefficients of (a x + b)^n from x^n down, each from the one before."""
    term = a**n
    yield term
    for up, down in zip(range(n * b, 0, -b), range(a, n * a + 1, a), strict=True):
        term = term * up // down
        yield term


def _exponents(body: Sequence[Atom]) -> list[list[int]]:
    """The likelihood ratios, over that of the last segment, as exponents over a coprime base."""
    a0, b0 = body[-1]
    ratios = [Fraction(b * a0, a * b0) for a, b in body]
    base = coprime_base(n for r in ratios for n in (r.numerator, r.denominator))
    return [list(factored(r, base)[0]) for r in ratios]


def _powers_of_one(vectors: Sequence[Vector]) -> list[int] | None:
    """The exponents of rho where all ratios are powers of one rho > 1; None where they are not."""
    first, *_ = vectors
    direction = [x // gcd(*first) for x in first]
    pivot = next(i for i, x in enumerate(direction) if x)
    powers = [v[pivot] // direction[pivot] for v in vectors]
    if any(list(v) != [k * x for x in direction] for v, k in zip(vectors, powers, strict=True)):
        return None
    common = gcd(*powers)
    return [k // common for k in powers]


def _pivots(vectors: Sequence[Vector]) -> list[list[int]]:
    """The vectors without the coordinates that follow from earlier ones by linear relations."""
    echelon, _, rank = fmpz_mat(vectors).rref()
    kept = [next(j for j, x in enumerate(row) if x) for row in echelon.tolist()[:rank]]
    return [[v[j] for j in kept] for v in vectors]


def _codes(vectors: Sequence[Vector], n: int) -> list[int]:
    """One integer per vector; sums of n of them are equal only for equal sums of vectors."""
    spans = (n * (max(x) - min(x)) + 1 for x in zip(*vectors, strict=True))
    strides = list(accumulate(spans, mul, initial=1))
    return [sum(map(mul, v, strides)) for v in vectors]


def _dense(masses: Sequence[int], powers: Sequence[int], n: int) -> list[int]:
    """The coefficients of (sum of masses x^powers)^n, from the highest power down."""
    coefficients = [0] * (powers[0] + 1)
    for power, mass in zip(powers, masses, strict=True):
        coefficients[power] = mass
    return [int(c) for c in reversed((fmpz_poly(coefficients) ** n).coeffs())]


def _sparse(body: Sequence[Atom], codes: Sequence[int], copies: _Copies) -> list[Atom]:
    """The n-fold products with masses added up per sum of codes, by falling sum."""
    by_code = sorted(zip(codes, body, strict=True))
    steps = [code - by_code[0][0] for code, _ in by_code]
    sums = _sums(steps[1:], copies)
    few = copies.n < len(steps)
    worlds = [
        _multiplied(steps, masses, copies.n) if few else _recurrence(steps, masses, sums, copies.n)
        for masses in zip(*(atom for _, atom in by_code), strict=True)
    ]
    return [(worlds[0][u], worlds[1][u]) for u in reversed(sums)]


def _sums(steps: Sequence[int], copies: _Copies) -> list[int]:
    """All sums of at most n of the steps, rising."""
    sums, edge = {0}, [0]
    for _ in range(copies.n):
        fresh = []
        for u in edge:
            for c in steps:
                if u + c not in sums:
                    sums.add(u + c)
                    fresh.append(u + c)
            copies.check_room(len(sums))
        edge = fresh
    return sorted(sums)


def _multiplied(steps: Sequence[int], masses: Sequence[int], n: int) -> dict[int, int]:
    """The coefficients of (sum of masses x^steps)^n, one factor after the other: for wide laws and few copies."""
    power = {0: 1}
    for _ in range(n):
        before, power = power, {}
        for u, w in before.items():
            for c, a in zip(steps, masses, strict=True):
                power[u + c] = power.get(u + c, 0) + a * w
    return power


def _recurrence(steps: Sequence[int], masses: Sequence[int], sums: Sequence[int], n: int) -> dict[int, int]:
    """The coefficients q of p^n for p = sum of masses x^steps with a constant term, each from at most len(p) others.

    They follow from p (p^n)' = n p' p^n: u p_0 q_u is the sum over steps c > 0 of ((n + 1) c - u) p_c q_{u-c}.
    """
    constant = masses[0]
    factors = [(c, (n + 1) * c, a) for c, a in zip(steps[1:], masses[1:], strict=True)]
    power = {0: constant**n}
    for u in sums[1:]:
        total = 0
        for c, top, a in factors:
            before = power.get(u - c)
            if before is not None:
                total += (top - u) * a * before
        power[u] = total // (u * constant)
    return power


def _by_leading_bits(atoms: Iterable[Atom]) -> Iterator[Atom]:
    """Atoms of different ratios by falling ratio."""
    keyed = sorted(((_leading_bits(a, b), (a, b)) for a, b in atoms), key=itemgetter(0), reverse=True)
    for _, tied in groupby(keyed, key=itemgetter(0)):
        yield from sorted((atom for _, atom in tied), key=cmp_to_key(falling))


def _leading_bits(a: int, b: int) -> int:
    """b / a as its binary exponent followed by KEY_BITS bits, rounded down: never falls where b / a rises."""
    shift = KEY_BITS + a.bit_length() - b.bit_length()
    digits = (b << shift) // a if shift > 0 else b // (a << -shift)
    extra = digits.bit_length() - KEY_BITS  # 0 or 1
    return ((extra - shift) << KEY_BITS) + (digits >> extra)
