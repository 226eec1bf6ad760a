"""RandBin as it is deployed: sessions, leases that survive a crash, events in and bins out.

Modules: bin_lines, durable, event_lines, figures, lease, lease_register, lease_tables, session.
Imports: audit.commands, audit.errors, audit.kernels, randbin.
Start with: session, then lease.
"""
