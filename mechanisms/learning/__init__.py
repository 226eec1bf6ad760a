"""Continual DP-SGD under single-edit streams: RandBin in front, private sums behind, models and their times released.

Modules: calibration, clipped_steps, expected_waiting, named_cores, objective, optimisers, per_user, pipeline, plan,
plan_document, plan_report, rates, recorded, toy_step, updates.
Imports: accounting, aggregators, audit.algebra, audit.budget, audit.errors, audit.kernels, audit.records,
audit.workers, design, grid_noise, live, matrices, models, noise, randbin.
Start with: pipeline, then calibration.
"""
