"""The command line: arguments in, records out, exit statuses.

Modules: arguments, cli, completion, doctor, explain, installation, interrupts, new, output, search, unread.
Imports: algebra, budget, defaults, entries, errors, examine, games, kernels, limits, records, render, search,
verdicts.
Start with: cli.
"""
