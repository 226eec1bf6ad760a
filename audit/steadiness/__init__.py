"""Does a mechanism answer alike in another order, on a fresh object, in a fresh process?

Modules: answers_alike, compared, elsewhere, given, live_runs, watched.
Imports: algebra, budget, errors, finding, identity, kernels, outside.
Start with: answers_alike, then watched.
"""
