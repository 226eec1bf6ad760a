"""Matrix mechanisms L (R x + z): encoders and decoders of many classes, and the sensitivity of what is released.

Modules: arrays, audited, buffered, claimed, column_sensitivity, conditions, decoders, directions, document, dyadic,
encoder, gram, longest, measured, normalised, participations, patterns, product, reading, record_change, released_error,
report, rounding, sensitivity, square_root, strategies, toeplitz, tree, workloads, worst_directions, worst_size,
worst_squared.
Imports: accounting, audit.algebra, audit.checklist, audit.errors, audit.finding, audit.limits, audit.records,
audit.render, audit.verdicts.
Start with: encoder, then column_sensitivity; audited is what `dpcert matrix` answers.
"""
