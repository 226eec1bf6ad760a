"""Layer 3: the claims ledger, one checked statement an entry."""

if __name__ != "dpcert.proofs_checked":
    raise ImportError(
        f"Expected `import dpcert.proofs_checked` but got `import {__name__}`: write `dpcert.proofs_checked`"
    )
