"""What lies outside a mechanism: sources of randomness, all that its code can reach, other processes.

Modules: arguments_alone, asked, between_processes, beyond, code_names, compiled, engine, fresh_process, guards,
interpreters, machine, marks, memos, of_libraries, put_there, reach, remembered, repository, settings, sources,
states, staying, unasked, watching.
Imports: algebra, errors, identity, layout, limits.
Start with: watching, then reach.
"""
