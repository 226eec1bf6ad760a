"""Bounds on games whose states are seen: grids of slopes, made finer until bounds are as near as was asked.

Modules: aligned, attained, bounding, choices, closing, columns, gaps, grid, lower, orientation, parts, passes,
reaching, refining, replay, root, saddle, sides, small_corners, stages, stream_rows, streams, tilted_bounding,
tilted_grid, tilted_policies, tilting, units, windows.
Imports: algebra, budget, errors, games, limits, relations.
Start with: stages and grid, then passes and lower, then refining.
"""
