"""What other tools read of audits: JUnit, SARIF, Markdown, annotations, an index page; text, never a file.

Modules: annotations, checks, fingerprint, index, junit, markdown, place, sarif, summary.
Imports: algebra, errors, finding, records, render, suites.
Start with: checks.
"""
