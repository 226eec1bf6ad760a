"""Deliberate faults, one a file, each beside its repaired twin: the negative controls of Checklist 1."""
