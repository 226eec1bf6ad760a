"""What Gaussian noise gives away, enclosed by balls: delta, epsilon, f_mu, RDP, and the noise that a target needs.

Modules: crossing, document, group, narrowing, point, product, renyi_bounds, shift, solving, table, tails.
Imports: audit.algebra, audit.errors, audit.records.
Start with: shift, then product and point.
"""
