"""Exact finite laws that mechanisms draw their noise from, with what is proven of their tails.

Modules: bounded_geometric, cell_masses, gaussian_curve, gaussian_profile, geometric, geometric_sums, integer_laws,
lazy_geometric, rounded_gaussian, rounded_laws.
Imports: audit.algebra, audit.errors, audit.kernels.
Start with: geometric.
"""
