"""The commands of this layer: `dpcert gaussian`, `dpcert matrix`, `dpcert plan` and `dpcert run`.

Modules: gaussian, matrix, matrix_case, plan, run.
Imports: audit.algebra, audit.commands, audit.errors, audit.finding, audit.kernels, audit.records, audit.render,
audit.suites, audit.verdicts, accounting, design, foreign, live, matrices, matrix_audit, randbin.
Start with: run and plan.
"""
