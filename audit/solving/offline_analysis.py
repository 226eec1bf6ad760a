"""What is known of code that reads later inputs: the fixed-stream curve, and that no adversary does worse."""

from dataclasses import replace

from dpcert.audit.algebra.bracket import Bracket
from dpcert.audit.algebra.power import PowerFunction
from dpcert.audit.budget import Budget, best_so_far
from dpcert.audit.games.offline import OfflineGame
from dpcert.audit.games.paired import Exploration, explore
from dpcert.audit.solving.adaptive import PERFECT, solve
from dpcert.audit.solving.analysis import Analysis


def analyse_offline(game: OfflineGame, budget: Budget) -> Analysis:
    """The fixed-stream curve exactly; of adaptive adversaries only that they do at least as well."""
    exploration = explore(replace(game, budget=budget), budget)
    with best_so_far(budget) as part:
        solution = solve(exploration, budget)
    if part.stopped:
        exploration = Exploration((), 1, part.stopped)
        solution = solve(exploration)
    perfect = PowerFunction(PERFECT)
    known = Bracket(solution.power, solution.power if exploration.levels else perfect)
    return Analysis(solution, Bracket(solution.power, perfect), None, known, exploration.stopped)
