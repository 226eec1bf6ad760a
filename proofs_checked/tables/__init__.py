"""The counterexample's tables, computed: what they hold, how they are written, and `dpcert tables`."""
