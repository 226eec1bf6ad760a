"""Everyday code as a mechanism: its random generator hands out draws that are decided only as far as it looks.

Modules: by_state, cells, code, endings, form_kinds, forms, generated, generators, generators_numpy, law_names, layouts,
lifelike, looking, monotone, now, others, plain, plain_arrays, plain_calls, plain_code, plain_sets, plain_texts,
put_on, readable, remembered, repeating, shared_questions, shared_states, shares, sites, stack, states, tape, traversal,
unknown, unresolved, unresolved_math, unresolved_numpy, untouched, written.
Imports: algebra, errors, identity, kernels, layout, limits, outside.
Start with: code, then tape, cells and by_state.
"""
