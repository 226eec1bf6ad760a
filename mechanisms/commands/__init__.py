"""The commands of this layer: `dpcert run` and `dpcert plan`.

Modules: plan, run.
Imports: audit.algebra, audit.commands, audit.errors, audit.kernels, audit.render, design, live, randbin.
Start with: run and plan.
"""
