"""What is published of the ledger: the mapping of the paper, the errata, the graph, and what each claim assumes."""
