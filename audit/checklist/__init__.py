"""Checklist 1: its five conditions, the ladder of certificates, and what holds for every horizon.

Modules: additive, aggregates, by_form, closure, conditions, contexts, declared, fresh, hints, horizons, index_sets,
ladder, monoid, of_code, of_machine, partings, publishing, slots, stationary, subject.
Imports: algebra, budget, errors, finding, games, identity, kernels, limits, outside, relations, scripted, solving,
steadiness.
Start with: conditions, then ladder.
"""
