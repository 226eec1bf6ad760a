"""Suprema over adversaries and over fixed streams, adversaries that attain them, and their replay.

Modules: adaptive, analysis, beginnings, fixed, fixed_hidden, fixed_search, offline_analysis, replay, strategy.
Imports: algebra, budget, errors, games, kernels, limits, relations.
Start with: adaptive, then analysis.
"""
