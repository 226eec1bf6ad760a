"""Somebody's streaming code, run on unit inputs and scripted unit noise: its matrices, its faults, and what it loses.

Modules: borne_out, claimed_noise, conditions, coordinates, document, faults, generator, noise_faults, probed, pure,
recovered, report, restarted, running, script, target, uneven.
Imports: accounting, audit.algebra, audit.checklist, audit.errors, audit.finding, audit.kernels, audit.limits,
audit.records, audit.render, audit.verdicts, matrices, matrix_audit.
Start with: recovered, then probed.
"""
