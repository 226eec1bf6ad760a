"""The two-world games: positions, moves and releases, and what an audit asks about them.

Modules: beliefs, fewer_states, folding, horizon, npp, of_views, offline, paired, question, renaming.
Imports: algebra, budget, defaults, errors, identity, kernels, limits, outside,
relations.
Start with: question, then paired.
"""
