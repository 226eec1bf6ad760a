"""Matrix mechanisms L (R x + z): encoders and decoders of many classes, and the sensitivity of what is released.

Modules: arrays, buffered, column_sensitivity, correlated, covers, decoders, described_workloads, directions, dyadic,
encoder, gram, inverse, json_tables, least_norm, longest, measured, normalised, nuclear, participations, patterns,
product, reading, record_change, released_error, rounded, rounding, sensitivity, square_root, strategies, toeplitz,
tree, whitened, workloads, worst_directions, worst_size, worst_squared, written_out.
Imports: audit.algebra, audit.errors, audit.limits.
Start with: encoder, then column_sensitivity.
"""
