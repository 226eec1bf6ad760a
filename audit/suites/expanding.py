"""The cases of a suite: targets x parameters x horizons x adjacencies x hops x challenge rounds, section by section."""

import ast
import glob
import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from dpcert.audit.algebra.rational import written
from dpcert.audit.context.written import context
from dpcert.audit.errors import ArgumentError, expected, one_line
from dpcert.audit.sampled.sampling import Sampling
from dpcert.audit.suites.case import Case, Status, Suite
from dpcert.audit.suites.written import read
from dpcert.audit.toml import Table
from dpcert.audit.verdicts.requirements import Requirements, claim, required_delta

MOST_CASES = 10_000
"""Cases of a suite past which it is refused: the product of its lists would be run one by one."""
ASKED = frozenset({"law", "step", "respond"})
"""Methods that a mechanism answers by; what a pattern of files finds has one of them."""
OF_COMMANDS = frozenset(
    {"name", "target", "command", "params", "horizon", "deltas", "certified", "claim", "status", "max_seconds"}
)
"""Keys of a case that a command decides; that it is certified is part of its verdict."""
OF_GAMES = frozenset({"game", "challenge_round", "exp_epsilons", "epsilons", "max_positions"})
"""Keys of defaults that such a case leaves aside: they bound the work on a game, or say where its curve is read off."""
_AXES = ("target", "horizon", "adjacency", "hops", "challenge_round")


def suite(path: str) -> Suite:
    """The cases of a suite file; nothing of theirs is run for it.

    Raises: ArgumentError: not a suite, or one with too many cases, or with two of one name.
    """
    table = read(path)
    root = Path(path).parent
    cases: dict[str, Case] = {}
    idle: list[str] = []
    for name, keys in _entries(table):
        try:
            _expand(name, keys, root, cases, idle)
        except ArgumentError as error:
            raise ArgumentError(f"{error} (in [audit.{name}] of {one_line(path)})") from None
    return Suite(path, tuple(cases.values()), tuple(dict.fromkeys(idle)), table.get("max_seconds"))


def _entries(table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every section with its defaults, and every case of a section that lists its own."""
    defaults = table.get("defaults", {})
    for name, section in table["audit"].items():
        common = _over(defaults, section)
        cases = common.pop("case", None)
        if cases is None:
            yield name, _of_command(common, section)
        for number, own in enumerate(cases or (), 1):
            keys = _over(common, own)
            yield f"{name}/{keys.pop('name', number)}", _of_command(keys, _over(section, own))


def _of_command(keys: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a case that a command decides, without what defaults say of games alone.

    Raises: ArgumentError: a key that only an audit of a mechanism answers, unless a default says it of games alone.
    """
    if "command" not in keys:
        return keys
    for key in keys:
        if key not in OF_COMMANDS and (key in own or key not in OF_GAMES):
            said = f"{key}={one_line(str(keys[key]), 60)}"
            raise ArgumentError(
                f"Expected keys that the command {one_line(keys['command'], 40)} answers but got {said}"
            )
    return {key: value for key, value in keys.items() if key in OF_COMMANDS}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """One table over another; their parameters are put together."""
    params = {**below.get("params", {}), **above.get("params", {})}
    return {**below, **above} | ({"params": params} if params else {})


def _expand(name: str, keys: dict[str, Any], root: Path, cases: dict[str, Case], idle: list[str]) -> None:
    """Adds the cases of one section to `cases`."""
    if "target" not in keys:
        raise ArgumentError("Expected a target but got none")
    of_command = "command" in keys
    targets, empty = (_files if of_command else _targets)(_listed(keys["target"]), root)
    idle += empty
    params = {key: [_spelled(value) for value in _listed(values)] for key, values in keys.get("params", {}).items()}
    axes: dict[str, list[Any]] = {"target": targets} | {axis: _listed(keys[axis]) for axis in _AXES[1:] if axis in keys}
    count = prod(map(len, [*axes.values(), *params.values()]))
    if len(cases) + count > MOST_CASES:
        raise ArgumentError(f"Expected at most {MOST_CASES} cases but got more")
    variable_axes = {
        axis for axis in axes if isinstance(keys[axis], list) or (axis == "target" and _is_pattern(keys[axis]))
    }
    many = {f"params.{key}" for key, values in keys.get("params", {}).items() if isinstance(values, list)}
    options = _asked(keys, root)
    for values in product(*axes.values(), *params.values()):
        assignment = dict(zip([*axes, *(f"params.{key}" for key in params)], values, strict=True))
        shown = [
            f"{key.removeprefix('params.')}={value}" for key, value in assignment.items() if key in variable_axes | many
        ]
        whole = one_line(f"{name}[{','.join(shown)}]" if shown else name)
        if whole in cases:
            raise ArgumentError(f"Expected cases of different names but got {whole} twice")
        cases[whole] = _case(whole, assignment, root, options)


def _case(name: str, assignment: Mapping[str, Any], root: Path, options: Mapping[str, Any]) -> Case:
    """One case, with the values that its axes take there."""
    adjacency = assignment.get("adjacency")
    return Case(
        name=name,
        target=assignment["target"],
        place=(_placed_file if options["command"] else _placed)(assignment["target"], root),
        folder=str(root),
        parameters={key.removeprefix("params."): v for key, v in assignment.items() if key.startswith("params.")},
        horizon=assignment.get("horizon"),
        adjacency=adjacency,
        relation=None if adjacency is None else _placed(adjacency, root),
        hops=assignment.get("hops", 1),
        challenge_round=assignment.get("challenge_round"),
        **options,
    )


def _asked(keys: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """What a section asks of each of its cases. Raises: ArgumentError: no requirement, no number, or no context."""
    bounds = (
        *map(claim, _listed(keys.get("claim", []))),
        *map(required_delta, _listed(keys.get("delta", []))),
    )
    slack = _rational(keys.get("slack", 0), "slack")
    return {
        "command": keys.get("command", ""),
        "game": keys.get("game", "paired"),
        "exp_epsilons": tuple(_rational(e, "exp_epsilons") for e in _listed(keys.get("exp_epsilons", []))),
        "epsilons": tuple(_rational(e, "epsilons") for e in _listed(keys.get("epsilons", []))),
        "deltas": tuple(_rational(d, "deltas") for d in _listed(keys.get("deltas", []))),
        "requirements": Requirements(bounds, keys.get("no_gap", False), keys.get("certified", False), slack),
        "status": Status(keys.get("status", "holds")),
        "max_positions": keys.get("max_positions"),
        "max_seconds": keys.get("max_seconds"),
        "tier": keys.get("tier", "auto"),
        "gap": _gap(keys),
        "sampling": _sampling(keys),
        "context": context(root / keys["context"]) if "context" in keys else None,
    }


def _gap(keys: Mapping[str, Any]) -> Fraction | None:
    """How near bounds are to come. Raises: ArgumentError: a gap of 0, or of a tier without bounds."""
    if "gap" not in keys:
        return None
    gap = _rational(keys["gap"], "gap")
    if gap <= 0 or keys.get("tier", "auto") not in ("auto", "enclosed"):
        raise expected("a gap above 0, of the enclosed tier,", gap=gap, tier=keys.get("tier", "auto"))
    return gap


def _sampling(keys: Mapping[str, Any]) -> Sampling | None:
    """How a black box is sampled. Raises: ArgumentError: keys of one without the tier, or a number out of range."""
    said = {name: keys[name] for name in ("runs", "confidence", "seed") if name in keys}
    if keys.get("tier") != "sampled":
        if said:
            raise expected('tier = "sampled" beside its keys', **said)
        return None
    if "confidence" in said:
        said["confidence"] = _rational(said["confidence"], "confidence")
    return Sampling(**said)


def _rational(value: object, name: str) -> Fraction:
    return written(str(value), name)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _spelled(value: object) -> str:
    """A parameter's value as it would be written on a command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_pattern(target: str) -> bool:
    """Whether it names files by a pattern."""
    place, colon, _ = target.rpartition(":")
    return glob.has_magic(place if colon else target)


def _targets(entries: list[str], root: Path) -> tuple[list[str], list[str]]:
    """The targets with patterns resolved, in order, and the files of a pattern without a mechanism.

    Raises: ArgumentError: a pattern that finds no mechanism.
    """
    targets: dict[str, None] = {}
    idle: list[str] = []
    for target in entries:
        if not _is_pattern(target):
            targets[target] = None
            continue
        place, colon, name = target.rpartition(":")
        files = sorted(glob.glob(place if colon else target, root_dir=root, recursive=True))
        files = [file.replace(os.sep, "/") for file in files if file.endswith(".py")]
        by_file = {file: [name] if colon else _mechanisms(root / file) for file in files}
        if not any(by_file.values()):
            raise ArgumentError(f"Expected a pattern of files with mechanisms but got target={one_line(target)}")
        targets |= {f"{file}:{one}": None for file, names in by_file.items() for one in names}
        idle += [file for file, names in by_file.items() if not names]
    return list(targets), idle


def _files(wanted: list[str], root: Path) -> tuple[list[str], list[str]]:
    """Files with patterns resolved, in order. Raises: ArgumentError: a pattern that finds none."""
    targets: dict[str, None] = {}
    for target in wanted:
        if not glob.has_magic(target):
            targets[target] = None
            continue
        files = sorted(glob.glob(target, root_dir=root, recursive=True))
        if not files:
            raise ArgumentError(f"Expected a pattern of files but got target={one_line(target)}")
        targets |= dict.fromkeys(file.replace(os.sep, "/") for file in files)
    return list(targets), []


def _mechanisms(path: Path) -> list[str]:
    """Public classes of a file that answer as a mechanism does, themselves or by a class of the same file.

    The file is read and not run; one that is no Python names what it is called, so that its audit says so.
    """
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return [path.stem]
    answering: set[str] = set()
    names = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
        if methods & ASKED or bases & answering:
            answering.add(node.name)
            names += [node.name] if not node.name.startswith("_") else []
    return names


def _placed_file(target: str, root: Path) -> str:
    """A file, or FILE.py:NAME, as it is found from the working directory; package.module:Name as it is."""
    before, colon, _ = target.rpartition(":")
    return target if colon and not before.endswith(".py") else os.path.join(root, target)


def _placed(target: str, root: Path) -> str:
    """A target or relation in a file, as it is found from the working directory; any other as it is."""
    place, colon, name = target.rpartition(":")
    file = place if colon else target
    if not file.endswith(".py"):
        return target
    return f"{os.path.join(root, file)}{colon}{name}"
