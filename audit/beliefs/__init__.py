"""Bounds on games of hidden states: grids of what may be believed of them, and of differences of that.

Modules: belief_grid, belief_policies, belief_refining, belief_root, belief_upper, difference_fixed, difference_play,
difference_policies, difference_refining, difference_root, difference_streams, difference_upper, differences,
directions, faces, hidden, simplex.
Imports: algebra, budget, errors, games, grids, kernels, limits, relations.
Start with: hidden, then differences and difference_refining.
"""
