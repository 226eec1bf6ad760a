"""An audit as tables for a paper: kernels, pairs, hulls, the gap, transcripts; text and pictures, never a file.

Modules: audit_tables, curves, formats, left_out, met, table, transcripts.
Imports: algebra, budget, errors, games, kernels, limits, records, render, solving.
Start with: audit_tables.
"""
