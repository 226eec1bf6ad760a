"""Work in many processes, here and on many machines: calls go to warm processes, beside this one or a Dask worker.

Modules: local, order, remote, reply, scheduler, warm.
Imports: errors, outside.
Start with: reply, then local and scheduler.
"""
