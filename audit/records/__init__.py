"""The record of an audit: put together, digested, and held against itself.

Modules: adversaries, assembled, consistent, consistent_curves, contract, digest, documents, headline, laws_in_scope,
reached, record, section.
Imports: algebra, budget, checklist, errors, finding, games, identity, kernels, outside, relations, render, solving,
steadiness, verdicts.
Start with: assembled, then documents.
"""
