"""Proofs for every parameter: identities, signs, and what to answer beside evaluated examples."""

from dataclasses import replace
from typing import Any

import sympy

from dpcert.audit.finding import Finding, Verdict

Expression = Any
"""A sympy expression; sympy has no types of its own."""


def ratio(name: str) -> Expression:
    """A symbol for any number of at least 1, such as e^epsilon."""
    return 1 + sympy.Symbol(name, nonnegative=True)


def share(name: str) -> Expression:
    """A symbol for any number in [0, 1], such as delta: u / (u + v) for any u, v >= 0 that are not both 0."""
    u, v = sympy.symbols(f"{name}_in {name}_out", nonnegative=True)
    return u / (u + v)


def equal(left: Expression, right: Expression) -> bool:
    """Whether two rational expressions are one and the same; decided by expanding their difference."""
    top, _ = sympy.fraction(sympy.together(left - right))
    return bool(sympy.expand(top) == 0)


def nonnegative(expression: Expression) -> bool:
    """Whether the expression is a quotient of polynomials without a negative coefficient in nonnegative symbols.

    That proves it is nonnegative wherever it is defined. False proves nothing.

    >>> a, d = ratio("a"), share("d")
    >>> nonnegative(a * a - 1), nonnegative(1 - d), nonnegative(a - 2)
    (True, True, False)
    """
    whole = sympy.sympify(expression)
    symbols = sorted(whole.free_symbols, key=str)
    if not symbols:
        return bool(whole.is_Rational and whole >= 0)
    try:
        quotient = sympy.QQ.frac_field(*symbols).from_sympy(whole)
    except ValueError:  # not a quotient of polynomials over the rationals
        return False
    coefficients = (*quotient.numer.coeffs(), *quotient.denom.coeffs())
    return all(symbol.is_nonnegative for symbol in symbols) and all(number >= 0 for number in coefficients)


def settled(holds: bool, proof: str, examples: Finding) -> Finding:
    """The answer of a symbolic check: the proof and the evaluated examples must come to the same verdict.

    Args:
        holds: Whether the proof went through for every parameter.
        proof: What it shows, in a sentence.
        examples: The statement evaluated at some parameters, over another path; refutes with a witness.
    """
    if holds is not (examples.verdict is Verdict.HOLDS):
        came = f"the proof {'goes through' if holds else 'fails'}, yet the examples say {examples.verdict.value}"
        return replace(examples, verdict=Verdict.UNDECIDED, detail=f"Not settled: {came}. {examples.detail}")
    return replace(examples, detail=f"{proof} Evaluated too: {examples.detail}") if holds else examples
