"""What `dpcert matrix` answers of a matrix mechanism with Gaussian noise: conditions, numbers and claims, and a report.

Modules: audited, claimed, conditions, document, heat_map, report.
Imports: accounting, audit.algebra, audit.budget, audit.checklist, audit.errors, audit.finding, audit.records,
audit.render, audit.verdicts, matrices.
Start with: audited.
"""
