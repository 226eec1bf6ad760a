"""What an audit found, written out so that a stranger can check it without the solver.

Modules: bounding, certificate, front_lines, game_lines, heights, lines, loose, outward, play_lines, reach, rebuilt,
rung_lines, tolerances, touching, unsolved.
Imports: algebra, budget, checklist, errors, examine, games, kernels, limits, records, relations, solving.
Start with: certificate, then lines.
"""
