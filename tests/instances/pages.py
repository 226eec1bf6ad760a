"""One page of each kind that dpcert writes, by the commands that users give."""

from pathlib import Path

from instances.suites import repository

from dpcert.audit.commands.cli import run

PROMISED = ("--param", "epsilon=1", "--param", "delta=1e-6", "--game", "npp", "--adjacency", "edit")
COMMANDS = {
    "two-round": ("audit", "two-round"),
    "binary-tree": ("audit", "binary-tree", "--horizon", "3"),
    "claim-that-fails": ("audit", "randomized-response", "--horizon", "2", "--claim", "eps=1,delta=1e-6"),
    "hidden-state": ("audit", "sparse-vector", "--horizon", "3"),
    "randbin-toy": ("audit", "randbin-toy", "--game", "npp", "--adjacency", "edit", "--horizon", "3"),
    "randbin": ("audit", "randbin", *PROMISED),
    "plan": ("plan", "randbin", "--epsilon", "4", "--delta", "1/1000", "--horizon", "2000"),
}
PAGES = (*COMMANDS, "suite")


def made(name: str, folder: Path) -> str:
    """The page as HTML."""
    quiet = () if name == "plan" else ("--quiet",)
    wrote = folder / "made.html"
    if name == "suite":
        suite = repository(folder)
        run(["audit", "--suite", str(suite), "--quiet", "--html", str(wrote)])
    else:
        run([*COMMANDS[name], *quiet, "--html", str(wrote)])
    return wrote.read_text(encoding="utf-8")
