"""Neighbouring relations: which pairs of inputs two worlds may be handed, round by round.

Modules: adjacency, bins, edits, foreign, hops, looks, shapes, tags.
Imports: errors, identity, kernels, limits, own_parts.
Start with: adjacency, then edits.
"""
