"""Black boxes: policies learnt on one half of the runs, and tested on the other with exact binomial bounds.

Modules: black_box, classes, estimate, fitting, learnt, planning, policy, replay, report, running, sampling, testing.
Imports: algebra, budget, checklist, defaults, errors, finding, games, identity, kernels, limits, outside, records,
relations, render, verdicts.
Start with: black_box, then estimate.
"""
