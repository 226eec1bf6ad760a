"""The rules of the ledger, on small claims made up for the purpose."""

from typing import Any

import pytest
from instances.claims import FEW, HOLDS, REFUTED, Stage, even

from dpcert.audit.finding import Finding, Method, Verdict
from dpcert.audit.workers.workers import THIS_PROCESS
from dpcert.proofs_checked import discovery, verify
from dpcert.proofs_checked.discovery import by_id
from dpcert.proofs_checked.graph import parents, transitive
from dpcert.proofs_checked.ledger import Claim, LedgerError, Standing, cite, cited, claim, found, run


@pytest.mark.parametrize(
    ("given", "standing"),
    [
        ({"subject": 2, "mutant": 3}, Standing.HOLDS),
        ({"subject": 3, "control": 2}, Standing.REFUTED),
        ({"subject": 2, "condition": "it is 2", "without": 3}, Standing.CONDITIONAL),
        ({"readings": {"two": 2, "three": 3}}, Standing.AMBIGUOUS),
        ({"subject": 2, "mutant": 4}, Standing.UNDECIDED),
        ({"subject": 3, "mutant": 5}, Standing.UNDECIDED),
        ({"subject": 3, "control": 5}, Standing.UNDECIDED),
        ({"subject": 2, "control": 4}, Standing.UNDECIDED),
        ({"subject": 2, "condition": "it is 2", "without": 4}, Standing.UNDECIDED),
        ({"subject": 3, "condition": "it is 3", "without": 5}, Standing.UNDECIDED),
        ({"readings": {"two": 2, "four": 4}}, Standing.UNDECIDED),
        ({"readings": {"three": 3, "five": 5}}, Standing.UNDECIDED),
        ({"subject": 2, "mutant": 3, "method": Method.SAMPLED}, Standing.UNDECIDED),
        ({"subject": 3, "control": 2, "method": Method.SAMPLED}, Standing.UNDECIDED),
        ({"readings": {"two": 2, "three": 3}, "method": Method.SAMPLED}, Standing.UNDECIDED),
    ],
)
def test_standings(given: dict[str, Any], standing: Standing) -> None:
    """A mutant that survives, a control that fails, readings that agree, samples that hold: all are undecided."""
    assert run(even(**given)).standing is standing


def test_what_a_finding_says() -> None:
    conditional = run(even(subject=2, condition="it is 2", without=3)).finding
    assert conditional.detail == "If it is 2: 2 mod 2 is 0. Otherwise: 3 mod 2 is 1."
    assert conditional.witness == {"number": 3}
    ambiguous = run(even(readings={"two": 2, "three": 3})).finding
    assert ambiguous.detail == "two: HOLDS. 2 mod 2 is 0. three: REFUTED. 3 mod 2 is 1."
    survived = run(even(subject=2, mutant=4)).finding
    assert survived.detail == "The check does not tell: HOLDS, and HOLDS where REFUTED was due. 4 mod 2 is 0."
    held = run(HOLDS).finding
    assert (held.method, held.scope, held.witness) == (Method.EXHAUSTIVE, "a number", {"number": 2})
    assert run(cite("thm:old", "known", "It is known.", row=None, source="a book")).standing is Standing.CITED


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"subject": 2, "mutant": 3, "scope": " "}, "Expected a docstring and a scope"),
        ({"subject": 2}, "Expected one of mutant, control, without, readings but got none"),
        ({"subject": 2, "mutant": 3, "control": 4}, r"but got \['mutant', 'control'\]"),
        ({"mutant": 3}, "Expected condition with without, and subject or readings"),
        ({"subject": 2, "mutant": 3, "condition": "it is 2"}, "Expected condition with without"),
        ({"subject": 2, "without": 3}, "Expected condition with without"),
        ({"subject": 2, "readings": {"two": 2}}, "Expected condition with without, and subject or readings"),
    ],
)
def test_entries_that_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        even(**given)


def test_a_check_needs_a_statement_and_a_citation_a_source() -> None:
    with pytest.raises(LedgerError, match=r"^Expected a docstring and a scope .* in lem:mute/mute$"):

        @claim("lem:mute", subject=2, mutant=3, **FEW)
        def mute(subject: int) -> Finding:
            return found(subject == 2, "")

    with pytest.raises(LedgerError, match=r"^Expected a source but got none in thm:old/known$"):
        cite("thm:old", "known", "It is known.", row=None, source=" ")


def spotted(**given: Any) -> Claim:
    @cited("thm:old", "a book", row=1, scope="a number", **given)
    def is_even(subject: int) -> Finding:
        """It is known."""
        return found(subject % 2 == 0, f"{subject} mod 2 is {subject % 2}.", number=subject)

    return is_even


def test_a_cited_fact_stands_on_its_spot_check_and_is_no_more_than_cited() -> None:
    outcome = run(spotted(subject=2, mutant=3))
    assert (outcome.standing, outcome.finding.verdict, outcome.finding.method) == (
        Standing.CITED, Verdict.UNDECIDED, None,
    )  # fmt: skip
    assert outcome.finding.detail == "Cited: a book. Spot check: 2 mod 2 is 0."
    for fails in ({"subject": 3, "mutant": 3}, {"subject": 2, "mutant": 4}, {"subject": 3, "mutant": 4}):
        assert run(spotted(**fails)).standing is Standing.UNDECIDED
    with pytest.raises(LedgerError, match=r"^Expected a reference but got none for thm:old$"):
        cited("thm:old", " ", row=1, scope="a number", subject=2, mutant=3)


def test_a_duplicate_id_is_refused() -> None:
    with pytest.raises(LedgerError, match=r"^Expected one claim an id but got two with id=lem:even/is_even$"):
        by_id([HOLDS, even(subject=4, mutant=5)])
    assert list(by_id([HOLDS, HOLDS])) == ["lem:even/is_even"]


def test_claims_are_in_the_order_of_rows() -> None:
    last, second, first = even("a", row=None, subject=2, mutant=3), even("b", row=2, subject=2, mutant=3), HOLDS
    assert list(by_id([last, second, first]).values()) == [first, second, last]


# ---------------------------------------------------------------- what rests on what


def standings(*entries: Claim) -> dict[str, Standing]:
    claims = by_id(entries)
    return transitive({name: run(entry).standing for name, entry in claims.items()}, claims)


@pytest.mark.parametrize("used", ["lem:odd", "lem:odd/is_even"])
def test_a_refuted_ancestor_shows_in_every_descendant(used: str) -> None:
    child = even("lem:child", (used,), subject=2, mutant=3)
    grandchild = even("lem:grandchild", ("lem:even", "lem:child"), subject=2, mutant=3)
    below = standings(grandchild, HOLDS, REFUTED, child)
    assert below["lem:child/is_even"] is below["lem:grandchild/is_even"] is Standing.REFUTED
    assert below["lem:even/is_even"] is Standing.HOLDS


def test_the_weakest_ancestor_counts() -> None:
    chain = [
        even("lem:1", subject=2, mutant=3),
        cite("lem:2", "is_even", "It is known.", row=1, source="a book", uses=("lem:1",)),
        even("lem:3", ("lem:2",), subject=2, condition="it is 2", without=3),
        even("lem:4", ("lem:3",), readings={"two": 2, "three": 3}),
        even("lem:5", ("lem:4",), subject=2, mutant=4),
        even("lem:6", ("lem:5",), subject=3, control=2),
    ]
    expected = ["HOLDS", "CITED", "CONDITIONAL", "AMBIGUOUS", "UNDECIDED", "REFUTED"]
    assert [s.value for s in standings(*chain).values()] == expected
    for i, weak in enumerate(expected):
        users = [even("lem:user", (f"lem:{i + 1}",), subject=2, mutant=3), *chain]
        assert standings(*users)["lem:user/is_even"].value == weak


def test_a_label_stands_for_all_its_claims_but_the_one_that_names_it() -> None:
    @claim("lem:even", subject=4, mutant=5, uses=("lem:even",), **FEW)
    def is_even_too(subject: int) -> Finding:
        """Another number is even."""
        return found(subject % 2 == 0, "")

    user = even("lem:user", ("lem:even",), subject=2, mutant=3)
    claims = by_id([HOLDS, is_even_too, user])
    assert set(parents(user, claims)) == {"lem:even/is_even", "lem:even/is_even_too"}
    assert parents(is_even_too, claims) == ["lem:even/is_even"]


@pytest.mark.parametrize("used", ["lem:none", "lem:user"])
def test_an_unknown_label_is_refused(used: str) -> None:
    user = even("lem:user", (used,), subject=2, mutant=3)
    with pytest.raises(LedgerError, match=f"^Expected the label or id of a claim but got uses={used} in lem:user/is_"):
        standings(HOLDS, user)


def test_a_circle_is_refused() -> None:
    circle = [even(f"lem:{i}", (f"lem:{(i + 1) % 3}",), subject=2, mutant=3) for i in range(3)]
    with pytest.raises(LedgerError, match=r"^Expected claims that do not rest on themselves .*lem:0/.* -> .*lem:0/"):
        standings(*circle)


# ---------------------------------------------------------------- the command


def checked(*names: str) -> tuple[list[verify.CheckedClaim], list[str]]:
    return verify.check(names, THIS_PROCESS, lambda _: None)


def test_expectations_are_compared_and_stale_ones_reported(stage: Stage) -> None:
    stage(
        HOLDS, REFUTED, expected={"lem:even/is_even": "HOLDS", "lem:odd/is_even": "HOLDS", "lem:gone/is_even": "HOLDS"}
    )
    lines, gone = checked("lem:even/is_even", "lem:odd/is_even")
    assert [line.as_expected for line in lines] == [True, False]
    assert gone == ["lem:gone/is_even"]
    lines, gone = checked("lem:even/is_even")
    assert ([line.as_expected for line in lines], gone) == ([True], [])


def test_a_claim_that_is_not_expected_is_not_as_expected(stage: Stage) -> None:
    stage(HOLDS, expected={})
    (line,), _ = checked("lem:even/is_even")
    assert not line.as_expected


def test_one_claim_alone_is_judged_with_its_ancestors(stage: Stage) -> None:
    child = even("lem:child", ("lem:odd",), subject=2, mutant=3)
    stage(HOLDS, REFUTED, child, expected={})
    (line,), _ = checked("lem:child/is_even")
    assert (line.outcome.standing, line.transitive) == (Standing.HOLDS, Standing.REFUTED)


def test_a_check_that_raises_is_undecided_and_hides_no_other(stage: Stage) -> None:
    @claim("lem:broken", subject=0, mutant=1, **FEW)
    def divides(subject: int) -> Finding:
        """One is divided by it."""
        return found(1 // subject == 1, "")

    stage(HOLDS, divides, expected={})
    (good, bad), _ = checked("lem:even/is_even", "lem:broken/divides")
    assert good.outcome.standing is Standing.HOLDS
    assert (bad.outcome.standing, bad.outcome.finding.verdict) == (Standing.UNDECIDED, Verdict.UNDECIDED)
    assert bad.outcome.finding.detail.startswith("The check raised ZeroDivisionError: ")


def test_modules_are_found_without_a_list() -> None:
    files = {entry.check.__module__ for entry in discovery.ledger().values() if entry.check is not None}
    assert "dpcert.proofs_checked.claims.thm_noise_ind_dp" in files
    assert all(module.startswith("dpcert.proofs_checked.claims.") for module in files)
