"""What other tools read of audits: JUnit, SARIF, Markdown, annotations, an index page; text, never a file.

Modules: annotations, asserting, audited_run, block_yaml, checks, fingerprint, index, junit, kept, known_audit,
markdown, place, recorded, registry, sarif, summary.
Imports: algebra, budget, defaults, errors, examine, finding, identity, kernels, outside, records, relations, render,
suites, verdicts.
Start with: checks.
"""
