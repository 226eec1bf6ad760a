"""The commands of this layer: `dpcert run` and `dpcert plan`.

Modules: plan, run.
Imports: audit.commands, audit.errors, audit.kernels, audit.records, audit.render, design, live, randbin.
Start with: run and plan.
"""
