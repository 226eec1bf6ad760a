"""Continual DP-SGD measured on streams: calibrations and baselines side by side, over seeds, as tables and a page.

Modules: asked, baselines, document, edit_pair, kept, measured, release_lines, report, setting, summary, sweep,
trained.
Imports: accounting, aggregators, audit.algebra, audit.budget, audit.commands, audit.errors, audit.outside,
audit.records, audit.workers, grid_noise, learning, live, matrices, models, randbin, streams.
Start with: asked, then trained.
"""
