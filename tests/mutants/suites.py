"""Which tests are asked about the faults of which modules: those that decide much in a few seconds."""

A = "tests/audit"
ALGEBRA = [f"{A}/algebra/test_{name}.py" for name in ("curve_laws", "power_laws", "pmf_laws", "long_chains")]
REST = [f"{A}/algebra/test_{name}.py" for name in ("combination_laws", "tensor_power", "thinning", "enclosure_ends")]
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
    "checklist": ("audit/checklist", [f"{A}/checklist"]),
    "certificates": (
        "audit/certificates",
        [f"{A}/certificates/test_built_in.py", f"{A}/certificates/test_random_games.py"],
    ),
    "checker": (
        "src/dpcert/verify_certificate.py",
        [f"{A}/certificates/test_{name}.py" for name in ("strictness", "comparison", "rungs", "built_in", "forged")],
    ),
}
"""By room: the folder or file of its modules, and its tests."""
