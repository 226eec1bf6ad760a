"""Mechanisms as exact kernels: the protocols, what a user's code answers, checked views, combinations, live runs.

Modules: border, code, code_words, combine, core, draws, feeding, futures, hidden, kernel, label, laws_digest, linear,
machine, merging, parameters, prefix_laws, progressions, protocol_kind, protocols, published, release, session,
stretches, targets, telling, view, written.
Imports: algebra, entries, errors, finding, identity, limits, outside.
Start with: protocols, then view.
"""
