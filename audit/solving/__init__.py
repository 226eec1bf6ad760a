"""Suprema over adversaries and over fixed streams, adversaries that attain them, and their replay.

Modules: adaptive, analysis, beginnings, checkpoint, fixed, fixed_hidden, fixed_search, kept_levels, offline_analysis,
pruning, replay, strategy.
Imports: algebra, budget, errors, games, identity, kernels, limits, outside, relations.
Start with: adaptive, then analysis.
"""
