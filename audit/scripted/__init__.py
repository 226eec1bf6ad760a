"""Everyday code as a mechanism: its random generator hands out draws that are decided only as far as it looks.

Modules: cells, code, generators, generators_numpy, law_names, lifelike, monotone, repeating, sites, tape, unresolved,
unresolved_math, unresolved_numpy.
Imports: algebra, errors, identity, kernels, limits, outside.
Start with: code, then tape and cells.
"""
