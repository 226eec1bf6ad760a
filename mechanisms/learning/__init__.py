"""Continual DP-SGD under single-edit streams: RandBin in front, private sums behind, models and their times released.

Modules: calibration, pipeline, rates, recorded, updates.
Imports: accounting, aggregators, audit.algebra, audit.errors, audit.kernels, design, grid_noise, live, matrices, noise,
randbin.
Start with: pipeline, then calibration.
"""
