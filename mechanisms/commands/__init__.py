"""The commands of this layer: `dpcert gaussian`, `dpcert matrix`, `dpcert plan`, `dpcert probe` and `dpcert run`.

Modules: answers, gaussian, learning_options, matrix, matrix_case, plan, probe, run, run_sgd.
Imports: audit.algebra, audit.budget, audit.commands, audit.errors, audit.finding, audit.kernels, audit.limits,
audit.records, audit.render, audit.suites, audit.verdicts, accounting, design, foreign, learning, live, matrices,
matrix_audit, models, probe, randbin, streams, training.
Start with: run and plan.
"""
