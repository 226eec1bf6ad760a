"""Cores whose adaptive delta is many times their fixed-stream delta, guessed in floats and solved exactly.

Modules: climb, polish, tabulated.
Imports: algebra, budget, errors, games, kernels, relations, solving.
Start with: climb.
"""
