"""What an observer can learn, in whole numbers and rationals: laws, power functions, their chains and bounds.

Modules: binomial, bracket, chain, common_laws, decimals, divergence, dominance, enclosure, envelope, gap, hulls,
lattice, least, long_chain, merged_runs, mixture, pmf, power, rational, renyi, slope, tensor_power, thinning.
Imports: errors, identity, limits.
Start with: pmf, then power and chain.
"""
