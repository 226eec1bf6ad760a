"""Bounds on games past the exact tier: which way there is, one tier after another, and what is kept to go on from.

Modules: analysis, checkpoint, effort, joined, tiers.
Imports: algebra, beliefs, budget, errors, games, grids, limits, relations, solving.
Start with: analysis, then joined.
"""
