"""`dpcert tables`: the counterexample's tables, what they hold and how they are written; and those of a mechanism."""
