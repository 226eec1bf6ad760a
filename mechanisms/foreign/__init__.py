"""Objects of other libraries, known by what they offer and never imported: matrices, and events of noise.

Modules: event, event_account, event_report, laplace_chains, mf_gaussian, objects, sampled, source, their_epsilon,
their_sensitivity, undecided.
Imports: accounting, audit.algebra, audit.errors, audit.kernels, audit.records, matrices, matrix_audit.
Start with: source, then event.
"""
