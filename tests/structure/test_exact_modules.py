"""No float in an exact module: the sources are read, not trusted."""

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest
from instances.sources import nodes

import dpcert.audit
import dpcert.mechanisms
import dpcert.proofs_checked

AUDIT = Path(dpcert.audit.__file__).resolve().parent
MECHANISMS = Path(dpcert.mechanisms.__file__).resolve().parent
LEDGER = Path(dpcert.proofs_checked.__file__).resolve().parent
MAY_USE_FLOATS = {
    "algebra/long_chain.py": "keys that sort long chains, and what these are off by",
    "algebra/merged_runs.py": "what is sorted by those keys; every near tie is settled in integers",
    "algebra/envelope.py": "keys and error bounds that say which option is higher; doubts are settled in integers",
    "algebra/dominance.py": "supports at slopes, with a counted error; doubts are settled in integers",
    "algebra/binomial.py": "a guess at a bound; balls prove what is made of it",
    "sampled/black_box.py": "the type of numpy's generators; draws of exact laws are whole numbers",
    "sampled/estimate.py": "the seconds an audit took, in provenance",
    "sampled/fitting.py": "what is expected of policies, which chooses those that are tested",
    "sampled/learnt.py": "learnt laws, which are never a result",
    "sampled/planning.py": "what a learnt model promises; tests say what is so",
    "sampled/running.py": "numpy's generators, and seconds between two looks at copies",
    "grids/aligned.py": "a guess at a good grid; whichever is taken, the bounds hold",
    "grids/attained.py": "numpy's whole numbers alone",
    "beliefs/belief_grid.py": "weights between beliefs and slopes, made floats (decision 15)",
    "beliefs/belief_policies.py": "what floats find better; what it comes to is whole numbers",
    "beliefs/belief_refining.py": "which grid to try next",
    "beliefs/belief_upper.py": "sums and products of numbers of at least 0, off by a counted factor (decision 15)",
    "beliefs/belief_root.py": "the numbers that those come to, made exact and moved outward",
    "grids/bounding.py": "how long windows are, and which grid is tried",
    "enclosed/checkpoint.py": "the steps of grids that were tried, kept bit by bit",
    "beliefs/difference_fixed.py": "which grid to try next",
    "beliefs/difference_play.py": "numpy's whole numbers alone",
    "beliefs/difference_policies.py": "what floats find better; what it comes to is whole numbers",
    "beliefs/difference_refining.py": "which grid to try next",
    "beliefs/difference_root.py": "weights between vectors, made exact again",
    "beliefs/difference_streams.py": "sums and products of numbers of at least 0 (decision 16)",
    "beliefs/difference_upper.py": "sums and products of numbers of at least 0 (decision 16)",
    "beliefs/differences.py": "weights between vectors, quotients of whole numbers, made floats (decision 16)",
    "beliefs/directions.py": "weights between vectors, quotients of whole numbers, made floats (decision 16)",
    "beliefs/faces.py": "as directions, which it puts together",
    "grids/choices.py": "numpy's whole numbers alone",
    "grids/closing.py": "which grid to try next",
    "grids/columns.py": "how far slopes lie beyond nodes: a guide to which of two policies is better",
    "grids/grid.py": "weights between nodes, the middles of balls (decision 15)",
    "beliefs/hidden.py": "numpy's whole numbers alone",
    "grids/lower.py": "what floats find better; what it comes to is whole numbers",
    "grids/passes.py": "sums and products of numbers of at least 0, off by a counted factor (decision 15)",
    "grids/refining.py": "which grid to try next",
    "grids/replay.py": "numpy's whole numbers alone",
    "grids/root.py": "the numbers that passes come to, made exact and moved outward",
    "grids/saddle.py": "at which slopes something is decided: a guide to grids and windows, and no bound",
    "grids/sides.py": "which of two policies floats find better: any answer is a policy",
    "beliefs/simplex.py": "numpy's whole numbers alone",
    "grids/stream_rows.py": "sums and products of numbers of at least 0, off by a counted factor (decision 15)",
    "grids/streams.py": "which grid to try next",
    "grids/tilted_bounding.py": "how long windows are, and which grid is tried",
    "grids/tilted_grid.py": "sums and products of numbers of at least 0, off by a counted factor (decision 15)",
    "grids/tilted_policies.py": "sums and products of numbers of at least 0, off by a counted factor (decision 15)",
    "grids/tilting.py": "which grid to try next",
    "grids/units.py": "numpy's whole numbers alone",
    "grids/windows.py": "how long windows are; whether what is read was written is asked in whole numbers",
    "solving/pruning.py": "how far bounds lie above, with a counted error; doubts are settled in integers",
    "search/climb.py": "a guess at good tables, which are made rational; the exact solver says what they are worth",
    "search/restarts.py": "where a guess begins: the slope and the least delta as floats, and the chance",
    "kernels/merging.py": "numpy's whole numbers alone",
    "kernels/parameters.py": "the type, which a parameter may be annotated with; its values are passed on",
    "kernels/written.py": "the same, where the text of such a parameter is read",
    "outside/states.py": "the type alone, of values that are told apart",
    "outside/memos.py": "the type alone, of values that cannot be changed",
    "outside/arguments_alone.py": "the type alone, of values and among what code may name",
    "kernels/label.py": "the type alone, of values that are written out",
    "identity.py": "the type, and the bits of its values, which are told apart and never computed with",
    "records/digest.py": "the seconds an audit took, in provenance",
    "records/assembled.py": "the same seconds, on their way there",
    "limits.py": "the seconds between two ticks of a timer",
    "scripted/plain.py": "the type of a number that code may keep",
    "scripted/plain_code.py": "the type, which code may name",
    "scripted/monotone.py": "what users' code computes with floats, as Python does; ends of cells are whole numbers",
    "scripted/unresolved.py": "the same, asked as code asks it",
    "scripted/unresolved_numpy.py": "the same, in numpy's functions",
    "scripted/now.py": "the type, among those whose values are compared; nothing is computed",
    "scripted/form_kinds.py": "the type, whose bits are written down, and numpy's; nothing is computed",
    "outside/machine.py": "what floats there are, as two machines are told apart",
    "scripted/written.py": "the type, whose values are written bit by bit; nothing is computed",
    "scripted/generators_numpy.py": "numpy's own types, in the stand-in for its generator; the laws are exact",
}
MECHANISMS_MAY = {
    "aggregators/buffered_sums.py": "sums worked out of what was released; whole numbers before that",
    "aggregators/core.py": "rows that were released, as floats",
    "aggregators/near_square_root.py": "coefficients that are chosen; what is charged is of the rounded ones",
    "aggregators/stream.py": "the same, and whole numbers in numpy's arrays",
    "aggregators/toeplitz_sums.py": "sums worked out of what was released; whole numbers small enough to be exact",
    "aggregators/tree_sums.py": "sums worked out of what was released; whole numbers before that",
    "design/gaussian_floats.py": "what those guesses are made by",
    "design/gaussian_search.py": "guesses at good parts; enclosures prove what is made of them",
    "design/gaussian_design.py": "the promise as floats, for that search alone",
    "foreign/mf_gaussian.py": "another library's numbers, which are exact; nothing is computed with them",
    "foreign/objects.py": "the same",
    "foreign/their_epsilon.py": "numbers of another library, shown beside ours and never computed with",
    "foreign/their_sensitivity.py": "the same",
    "grid_noise/floating.py": "noise in floats, which is labelled as not covered, and is off by default",
    "grid_noise/on_grid.py": "gradients, which come as floats and are clipped as such; whole numbers check the norm",
    "grid_noise/sampling.py": "whole numbers in numpy's arrays",
    "learning/clipped_steps.py": "models, which are worked out of released sums alone",
    "learning/optimisers.py": "models, which are worked out of released sums alone",
    "learning/pipeline.py": "models, which are worked out of released sums alone",
    "idioms/learner.py": "features, as they come; numbers of a promise are read as they are written",
    "idioms/river_online.py": "defaults of parameters, read as they are written, and chances that a public model gives",
    "idioms/scikit_learn.py": "the same, and features as they come",
    "learning/recorded.py": "numpy's generator of bytes, for simulations that are labelled as such",
    "models/adaptive_clip.py": "gradients before they become whole numbers elsewhere, where their norm is checked",
    "models/hidden_layer.py": "gradients, which become whole numbers elsewhere, and predictions of public models",
    "models/logistic.py": "the same",
    "models/model.py": "the same, and features as they come",
    "models/softmax.py": "the same",
    "streams/labelled.py": "features of events",
    "streams/participation.py": "chances of users who stay away or come again, which decide nothing of any noise",
    "streams/river_streams.py": "features of events, and their scales",
    "streams/sklearn_streams.py": "the same",
    "training/baselines.py": "models, which are worked out of released sums alone",
    "training/document.py": "what was measured, which proves nothing",
    "training/edit_pair.py": "models of a simulation, and how far apart they are",
    "training/measured.py": "accuracy and waiting, which are measured and prove nothing",
    "training/report.py": "the same, on their way to a page",
    "training/summary.py": "medians of the same",
    "training/trained.py": "what was measured, and the rows of events",
    "learning/toy_step.py": "gradients as updates take them, all multiples of the grid",
    "matrices/arrays.py": "numbers of files, which are exact; nothing is computed with them",
    "matrices/dyadic.py": "the type, taken apart into whole numbers",
    "matrices/covers.py": "whole numbers in numpy's arrays",
    "matrices/described_workloads.py": "numbers of JSON, as the decimals that are written",
    "matrices/decoders.py": "a decoder that runs in floats, as it says; what it is off by is enclosed elsewhere",
    "matrices/directions.py": "guesses at vectors and at a bound; whole numbers prove what is made of them",
    "matrices/encoder.py": "a user's matrix of them, which are exact numbers",
    "matrices/gram.py": "sums of whole numbers small enough to be exact as floats; what is not comes from `rounding`",
    "matrices/inverse.py": "a user's matrix of them, which are exact; whole numbers in numpy's arrays",
    "matrices/least_norm.py": "a decoder that runs in floats, as it says; what it is off by is enclosed elsewhere",
    "matrices/normalised.py": "a matrix that runs in floats, as its result says",
    "matrices/nuclear.py": "singular vectors as guesses; products with a bound on their rounding",
    "matrices/patterns.py": "numpy's whole numbers alone",
    "matrices/product.py": "a product with a bound on its rounding, as in `rounding`",
    "matrices/released_error.py": "a user's decoder, or one that runs in floats; what it is off by is enclosed",
    "matrices/rounded.py": "an inverse in floats, with a proof of how far it is off",
    "matrices/rounding.py": "sums with a proven bound on their rounding, moved outward",
    "matrices/strategies.py": "numbers of JSON, as the float64 that they stand for",
    "matrices/toeplitz.py": "a user's coefficients, which are exact; whole numbers in numpy's arrays",
    "matrices/tree.py": "whole numbers in numpy's arrays",
    "matrices/written_out.py": "entries rounded to floats, with how far they may be off",
    "matrices/worst_size.py": "whole numbers in numpy's arrays",
    "matrices/whitened.py": "whole numbers in numpy's arrays",
    "probe/borne_out.py": "what a user's code is given, and releases",
    "probe/generator.py": "the numbers that a user's code draws, which are scripted",
    "probe/recovered.py": "what a user's code releases, as the exact numbers that floats are",
    "probe/running.py": "what a user's code is given and releases",
    "probe/script.py": "the numbers that a user's code draws",
    "probe/uneven.py": "what a user's code is given and releases",
    "live/figures.py": "the seconds a run took",
    "live/event_lines.py": "JSON numbers of users' events, which are passed on and never computed with",
}
EXACT_MECHANISMS = sorted(str(p.relative_to(MECHANISMS)) for p in MECHANISMS.glob("**/*.py"))
AUDITED = sorted(str(p.relative_to(AUDIT)) for p in AUDIT.glob("**/*.py"))
DRAWN = ("render/",)
"""Rooms whose numbers are seen and never computed with: pages and their figures."""
EXACT = [name for name in AUDITED if name not in MAY_USE_FLOATS and not name.startswith(DRAWN)]
FLOAT_NAMES = {"float", "sqrt", "exp", "log", "log2", "log10", "float64", "longdouble", "fsum"}


FLOAT_LIBRARIES = {"numpy", "scipy", "mpmath", "cmath"}


def is_float(node: ast.AST) -> bool:
    """A float or complex literal, a name that makes floats, or an import of one."""
    match node:
        case ast.Constant(value=float() | complex()):
            return True
        case ast.Name(id=name):
            return name in FLOAT_NAMES
        case ast.Import(names=names):
            return any(alias.name.partition(".")[0] in FLOAT_LIBRARIES for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return (module or "").partition(".")[0] in FLOAT_LIBRARIES or any(a.name in FLOAT_NAMES for a in names)
    return False


def floats_in(said: Iterable[ast.AST]) -> list[str]:
    """The float-making ones among the nodes of a source."""
    return [ast.unparse(node) for node in said if is_float(node)]


@pytest.mark.parametrize("name", EXACT)
def test_module_has_no_float(name: str) -> None:
    assert floats_in(nodes(AUDIT / name)) == []


@pytest.mark.parametrize("name", sorted(str(p.relative_to(LEDGER)) for p in LEDGER.glob("**/*.py")))
def test_the_ledger_has_no_float(name: str) -> None:
    assert floats_in(nodes(LEDGER / name)) == []


@pytest.mark.parametrize("name", [name for name in EXACT_MECHANISMS if name not in MECHANISMS_MAY])
def test_a_mechanism_has_no_float(name: str) -> None:
    assert floats_in(nodes(MECHANISMS / name)) == []


@pytest.mark.parametrize("folder", [AUDIT, MECHANISMS])
def test_a_module_is_excused_only_while_it_uses_floats(folder: Path) -> None:
    excused = MAY_USE_FLOATS if folder == AUDIT else MECHANISMS_MAY
    for name in excused:
        assert floats_in(nodes(folder / name)), name


def test_the_guesses_alone_are_searched_for_in_floats() -> None:
    """Nothing but the design asks the search, so that no guess reaches a bound unproven."""
    for module in ("gaussian_search", "gaussian_floats"):
        asking = [n for n in EXACT_MECHANISMS if module in (MECHANISMS / n).read_text(encoding="utf-8")]
        assert set(asking) - {"design/gaussian_search.py"} == {"design/__init__.py", "design/gaussian_design.py"}


@pytest.mark.parametrize("mutant", ["x = 0.5", "y = float(3)", "import numpy as np", "from math import log", "z = 1j"])
def test_the_search_finds_floats(mutant: str) -> None:
    assert floats_in(ast.walk(ast.parse(mutant)))


def test_the_core_of_the_algebra_is_searched() -> None:
    noise = {"noise/geometric.py", "noise/bounded_geometric.py", "design/parts.py", "design/certificate.py"}
    assert noise <= set(EXACT_MECHANISMS)
    algebra = {f"algebra/{name}.py" for name in ("pmf", "chain", "power", "lattice")}
    solving = {f"solving/{name}.py" for name in ("adaptive", "fixed", "strategy")}
    assert algebra | solving | {"games/paired.py", "identity.py"} <= set(EXACT) | {"identity.py"}
