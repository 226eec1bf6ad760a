"""Bounds on games past the exact tier: grids of slopes, made finer until the bounds are as near as was asked.

Modules: aligned, analysis, bounding, grid, lower, parts, passes, refining, root, stages, windows.
Imports: algebra, budget, errors, games, limits, relations, solving.
Start with: stages and grid, then passes and lower, then refining.
"""
