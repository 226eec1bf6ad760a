"""Objects of other libraries, known by what they offer and never imported: matrices, and events of noise.

Modules: mf_gaussian, objects, source, their_sensitivity.
Imports: audit.errors, audit.kernels, matrices, matrix_audit.
Start with: source.
"""
