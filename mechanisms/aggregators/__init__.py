"""Private prefix sums of vectors as they run: one call a bin, whole numbers on a grid, and leases.

Modules: buffered_sums, core, near_square_root, stream, toeplitz_sums, tree_sums.
Imports: audit.algebra, audit.errors, grid_noise, live, matrices.
Start with: core, then stream.
"""
