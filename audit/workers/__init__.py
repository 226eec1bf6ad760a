"""Work on many machines: what is asked goes to the workers of a Dask scheduler, each with a warm process of its own.

Modules: order, remote, scheduler, warm.
Imports: errors, outside.
Start with: scheduler.
"""
