"""Which tests are asked about the faults of which modules: those that decide much in a few seconds."""

A = "tests/audit"
ALGEBRA = [f"{A}/algebra/test_{name}.py" for name in ("curve_laws", "power_laws", "pmf_laws", "long_chains")]
REST = [
    f"{A}/algebra/test_{name}.py"
    for name in ("combination_laws", "tensor_power", "thinning", "enclosure_ends", "chain_order")
]
SOLVING = [
    f"{A}/solving/test_{name}.py" for name in ("solver_brute_force", "fixed_pairs", "fixed_pruning", "fixed_search")
]
ROOMS: dict[str, tuple[str, list[str]]] = {
    "algebra": ("audit/algebra", [*ALGEBRA, *REST]),
    "games": (
        "audit/games",
        [f"{A}/games", f"{A}/solving/test_hidden_state.py", f"{A}/solving/test_solver_brute_force.py"],
    ),
    "solving": (
        "audit/solving",
        [*SOLVING, f"{A}/solving/test_hidden_state.py", f"{A}/solving/test_linear_program.py"],
    ),
    "checklist": (
        "audit/checklist",
        [
            f"{A}/checklist/test_{name}.py"
            for name in ("conditions", "every_horizon", "ladder", "slots", "context_dominated", "declared_pairs")
        ]
        + [f"{A}/checklist/test_{name}.py" for name in ("index_sets", "stationary", "subject", "sums")],
    ),
    "certificates": (
        "audit/certificates",
        [f"{A}/certificates/test_{name}.py" for name in ("built_in", "random_games", "rungs", "outward")],
    ),
    "checker": (
        "src/dpcert/verify_certificate.py",
        [
            f"{A}/certificates/test_{name}.py"
            for name in ("attacks", "strictness", "comparison", "rungs", "built_in", "forged")
        ],
    ),
}
"""By room: the folder or file of its modules, and its tests."""
WANTED = 95
"""Percent of the faults that are to be found."""
FLOORS = {"algebra": 55, "games": 0, "solving": 88, "checklist": 0, "certificates": 0, "checker": 0}
"""By room, the percent that was found when it was measured last, 0 where hardly any was tried: `docs/mutants.md`."""
