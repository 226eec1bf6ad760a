"""Private prefix sums and how far off they can be: hybrid, ideal, and by a Toeplitz factorisation.

Modules: error_convolution, error_explicit, error_function, error_process, given_error, hybrid_core, hybrid_error,
hybrid_noise, hybrid_profile, hybrid_schedule, hybrid_spent, hybrid_stream_sum, ideal_stream_sum, merged_noise,
scheduler, stream_sum, toeplitz_core, toeplitz_encoder, toeplitz_error, toeplitz_noise, union_bound.
Imports: audit.algebra, audit.budget, audit.errors, audit.kernels, audit.records, audit.render, noise.
Start with: scheduler, then stream_sum.
"""
