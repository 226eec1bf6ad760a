"""Many audits from one file: its cases, each run in a process of its own, and what they may not be worse than.

Modules: baseline, case, deciding, expanding, findings, journal, outcome, results, running, shared_runs, spreading,
written.
Imports: algebra, budget, certificates, context, defaults, entries, errors, examine, finding, games, kernels, limits,
outside, records, relations, sampled, scripted, steadiness, toml, verdicts, workers.
Start with: case and running.
"""
