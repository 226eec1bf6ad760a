"""The command line: arguments in, records out, exit statuses.

Modules: arguments, cli, completion, doctor, explain, installation, interrupts, new, output, search.
Imports: algebra, budget, errors, examine, games, kernels, limits, records, render, search, solving, verdicts.
Start with: cli.
"""
