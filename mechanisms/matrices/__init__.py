"""Matrix mechanisms L (R x + z): encoders and decoders of many classes, and the sensitivity of what is released.

Modules: arrays, buffered, column_sensitivity, correlated, decoders, directions, dyadic, encoder, gram, inverse,
longest, measured, normalised, participations, patterns, product, reading, record_change, released_error, rounding,
sensitivity, square_root, strategies, toeplitz, tree, whitened, workloads, worst_directions, worst_size, worst_squared.
Imports: audit.algebra, audit.errors, audit.limits.
Start with: encoder, then column_sensitivity.
"""
