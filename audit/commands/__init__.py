"""The command line: arguments in, records out, exit statuses.

Modules: arguments, audit, cli, completion, doctor, exchanged, explain, fresh, installation, interrupts, listed, new,
output, pages, ready, report, scope_options, search, single, suite, unread, verify,
worker_options.
Imports: algebra, budget, certificates, context, defaults, entries, errors, examine, exchange, finding, games, kernels,
limits, outside, records, render, sampled, search, suites, verdicts, workers.
Start with: cli.
"""
