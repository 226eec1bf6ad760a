"""Gaussian noise for vectors of whole numbers: the cell masses of N(0, sigma^2), drawn from the system's entropy.

Modules: alias_table, cells, floating, on_grid, sampling, seed_law.
Imports: audit.algebra, audit.errors, matrices.
Start with: seed_law, then sampling.
"""
