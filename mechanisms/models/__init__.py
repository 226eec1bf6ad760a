"""Models that are learned from events, in numpy: the gradient of each event at once, and what a model predicts.

Modules: adaptive_clip, hidden_layer, logistic, model, named, softmax.
Imports: audit.algebra, audit.errors, matrices.
Start with: model, then logistic.
"""
