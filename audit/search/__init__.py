"""Cores whose adaptive delta is many times their fixed-stream delta, guessed in floats and solved exactly.

Modules: climb, polish, restarts, tabulated.
Imports: algebra, budget, errors, games, kernels, relations, solving, workers.
Start with: restarts, then climb.
"""
