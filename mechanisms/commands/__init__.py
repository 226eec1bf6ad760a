"""The commands of this layer: `dpcert gaussian`, `dpcert plan` and `dpcert run`.

Modules: gaussian, plan, run.
Imports: audit.commands, audit.errors, audit.kernels, audit.records, audit.render, accounting, design, live, randbin.
Start with: run and plan.
"""
