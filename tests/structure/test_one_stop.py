"""What ends the work is caught in one place, `best_so_far`; the few other handlers are listed, each with its reason."""

import ast
from pathlib import Path

from instances.sources import nodes

import dpcert.audit
import dpcert.mechanisms
import dpcert.proofs_checked

LAYERS = {one.__name__.split(".")[1]: one for one in (dpcert.audit, dpcert.mechanisms, dpcert.proofs_checked)}
STOPS = {"Stopped", "Interrupted", "KeyboardInterrupt"}
ELSEWHERE = {
    "audit/limits.py": "the timer notes what ends a question to the user's code, which is told so at the border",
    "audit/kernels/laws_digest.py": "a digest of as many laws as there is time for says so by the record around it",
    "audit/commands/cli.py": "the edge of the process: an interrupt that nothing made use of is one line",
    "audit/suites/deciding.py": "the edge of a case: an interrupt that nothing made use of is no error of anybody",
    "mechanisms/commands/run.py": "the edge of the process again, of a run that goes on from its lease",
}


def caught(node: ast.AST) -> set[str]:
    """Names of exceptions that a handler, or a `suppress`, takes."""
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        return {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)}
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "suppress":
        return {name.id for argument in node.args for name in ast.walk(argument) if isinstance(name, ast.Name)}
    return set()


def catching() -> dict[str, int]:
    """File -> handlers of what ends the work."""
    counts: dict[str, int] = {}
    for layer, package in LAYERS.items():
        top = Path(str(package.__file__)).parent
        for path in top.glob("**/*.py"):
            file = path.resolve()
            if not any(name in file.read_text(encoding="utf-8") for name in STOPS):
                continue  # what it does not name it does not catch
            count = sum(bool(caught(node) & STOPS) for node in nodes(file))
            if count:
                counts[f"{layer}/{path.relative_to(top)}"] = count
    return counts


def test_what_ends_the_work_is_caught_in_one_place() -> None:
    assert catching().keys() == ELSEWHERE.keys()


def test_a_handler_is_found() -> None:
    handler, suppressing = ast.parse("try: pass\nexcept (ValueError, KeyboardInterrupt): pass\nsuppress(Stopped)").body
    assert isinstance(handler, ast.Try)
    assert isinstance(suppressing, ast.Expr)
    assert caught(handler.handlers[0]) == {"ValueError", "KeyboardInterrupt"}
    assert caught(suppressing.value) == {"Stopped"}
