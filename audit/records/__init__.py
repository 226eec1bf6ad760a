"""The record of an audit: put together, digested, and held against itself.

Modules: adversaries, assembled, beside, command_case, consistent, consistent_curves, consistent_evidence,
consistent_sampled, contract, digest, documents, game_digest, headline, laws_in_scope, reached, record, section,
unchanged.
Imports: algebra, budget, checklist, context, defaults, enclosed, entries, errors, finding, games, identity, kernels,
limits, outside, relations, render, solving, steadiness, verdicts.
Start with: assembled, then documents.
"""
