"""Streams of labelled events that come with other packages, and users who stay away, come twice, or react.

Modules: labelled, named, optional, participation, river_streams, sklearn_streams.
Imports: audit.errors, matrices, models.
Start with: named, then participation.
"""
