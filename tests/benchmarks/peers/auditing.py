"""jax-privacy's black-box auditor: epsilon at least, of scores with and without a canary. JSON in, JSON out."""

import json
import sys
from importlib.metadata import version

import numpy as np
from jax_privacy.auditing import CanaryScoreAuditor, Split

SIGNIFICANCE = 0.01


def main() -> None:
    given = json.load(sys.stdin)
    auditor = CanaryScoreAuditor(np.array(given["in"]), np.array(given["out"]))
    least = auditor.epsilon_clopper_pearson(
        SIGNIFICANCE, given["delta"], threshold_strategy=Split(0.5, seed=given.get("seed", 1))
    )
    made = {"name": f"jax-privacy {version('jax-privacy')}", "significance": SIGNIFICANCE, "epsilon": float(least)}
    print(json.dumps({**made, "auroc": float(auditor.attack_auroc())}))


if __name__ == "__main__":
    main()
