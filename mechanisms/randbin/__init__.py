"""RandBin: the algorithm on any loads and any scheduler, its simulation, its bound, and toy instances.

Modules: algorithm, bell_load, bin_sum, bound, drawn_late, feeding_a_sum, on_geometric_loads, report, simulation, state,
toy, toy_scheduler.
Imports: audit.algebra, audit.budget, audit.errors, audit.games, audit.identity, audit.kernels, audit.records,
audit.relations, audit.solving, noise, sums.
Start with: algorithm.
"""
