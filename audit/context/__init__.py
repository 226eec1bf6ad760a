"""What an organisation declares of a mechanism's use: read, kept and shown; nothing of it is run or believed.

Modules: document, written.
Imports: algebra, errors, toml.
Start with: written.
"""
