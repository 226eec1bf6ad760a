"""Layer 1: the mathematics and the decision procedures. Knows no particular mechanism."""

if __name__ != "dpcert.audit":
    raise ImportError(f"Expected `import dpcert.audit` but got `import {__name__}`: write `dpcert.audit`")
