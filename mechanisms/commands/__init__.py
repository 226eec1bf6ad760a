"""The commands of this layer: `dpcert gaussian`, `dpcert matrix`, `dpcert plan`, `dpcert probe` and `dpcert run`.

Modules: gaussian, matrix, plan, probe, run.
Imports: audit.commands, audit.errors, audit.finding, audit.kernels, audit.records, audit.render, audit.verdicts,
accounting, design, live, matrices, matrix_audit, probe, randbin.
Start with: run and plan.
"""
