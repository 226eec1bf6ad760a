"""The commands of this layer: `dpcert gaussian`, `dpcert matrix`, `dpcert plan`, `dpcert probe` and `dpcert run`.

Modules: answers, gaussian, matrix, matrix_case, plan, probe, run.
Imports: audit.algebra, audit.budget, audit.commands, audit.errors, audit.finding, audit.kernels, audit.limits,
audit.records, audit.render, audit.suites, audit.verdicts, accounting, design, foreign, live, matrices, matrix_audit,
probe, randbin.
Start with: run and plan.
"""
