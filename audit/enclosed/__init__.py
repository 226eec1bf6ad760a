"""Bounds on games past the exact tier: grids of slopes, made finer until the bounds are as near as was asked.

Modules: aligned, analysis, attained, belief_grid, belief_policies, belief_refining, belief_root, beliefs, bounding,
checkpoint, difference_fixed, difference_play, difference_policies, difference_refining, difference_root,
difference_streams, difference_upper, differences, directions, effort, faces, grid, hidden, joined, lower, orientation,
parts, passes, reaching, refining, replay, root, saddle, sides, simplex, small_corners, stages, stream_rows, streams,
tiers, tilted_bounding, tilted_grid, tilted_policies, tilting, units, windows.
Imports: algebra, budget, errors, games, kernels, limits, relations, solving.
Start with: stages and grid, then passes and lower, then refining.
"""
