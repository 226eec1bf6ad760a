"""Continual DP-SGD as the users of scikit-learn and of river know models: `partial_fit` and `learn_one`.

Modules: learner, river_online, scikit_learn.
Imports: audit.errors, learning, matrices, models, streams, training.
Start with: scikit_learn and river_online.
"""
