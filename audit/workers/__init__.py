"""Work in many processes, here and on many machines: calls go to warm processes, beside this one or a Dask worker.

Modules: calls, local, order, remote, reply, scheduler, warm, workers.
Imports: budget, errors, outside.
Start with: workers, then calls.
"""
