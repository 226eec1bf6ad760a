"""Which tests are asked about the faults of which modules, and what part of the faults they found."""

A = "tests/audit"
SOLVING = [f"{A}/solving", f"{A}/test_bounded_work.py", f"{A}/test_stops.py"]
CERTIFICATES = [f"{A}/certificates"]
ROOMS: dict[str, tuple[str, list[str]]] = {
    "algebra": (
        "audit/algebra",
        [f"{A}/algebra", f"{A}/verdicts/test_families.py", f"{A}/sampled/test_binomial.py"],
    ),
    "games": ("audit/games", [f"{A}/games", *SOLVING]),
    "solving": ("audit/solving", [f"{A}/games", *SOLVING]),
    "checklist": ("audit/checklist", [f"{A}/checklist"]),
    "scripted": ("audit/scripted", [f"{A}/scripted"]),
    "certificates": ("audit/certificates", CERTIFICATES),
    "checker": ("src/dpcert/verify_certificate.py", CERTIFICATES),
    "rung": (
        "src/dpcert/verify_rung.py",
        [f"{A}/certificates/test_rungs.py", f"{A}/certificates/test_checker_claims.py"],
    ),
}
"""By room: the folder or file of its modules, and its tests; doctests of the modules are asked as well."""
SECONDS = {"scripted": 5}
"""By room, the seconds of tests that a fault is tried by, where it is not one: runs of code take longer."""
WANTED = 95
"""Percent of the faults that are to be found."""
FLOORS = {
    "algebra": 98, "games": 96, "solving": 97, "checklist": 97, "scripted": 95, "certificates": 95, "checker": 97,
    "rung": 98,
}  # fmt: skip
"""By room, the percent that was found when it was measured last: `docs/mutants.md`."""
