"""Layer 2: primitives, one a file. No proofs live here."""

if __name__ != "dpcert.mechanisms":
    raise ImportError(f"Expected `import dpcert.mechanisms` but got `import {__name__}`: write `dpcert.mechanisms`")
