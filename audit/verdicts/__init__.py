"""What is concluded: does the guarantee lift, and does what was asked for hold?

Modules: families, guarantee, lifts, requirements.
Imports: algebra, checklist, errors, finding, kernels, render.
Start with: lifts, then requirements.
"""
