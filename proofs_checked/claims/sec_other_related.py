"""Experiments and remarks on related work: nothing there to decide."""

from dpcert.proofs_checked.ledger import cite

experiments_and_remarks = cite(
    "sec:other_related",
    "experiments_and_remarks",
    "Experiments, and what is said of related work.",
    row=106,
    source="Out of reach of exact checks; nothing else rests on it. Runs of our own are in the documentation.",
)
