"""One file per labelled statement of the paper: the statement and its proof steps as checks."""
