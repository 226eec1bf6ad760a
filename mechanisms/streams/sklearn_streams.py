"""Data sets that come with scikit-learn."""

import numpy as np

from dpcert.mechanisms.streams.labelled import LabelledEvents, repeated
from dpcert.mechanisms.streams.optional import needed

CELL_SCALES = (
    *(30, 40, 200, 2500, 0.2, 0.4, 0.5, 0.2, 0.4, 0.1),
    *(3, 5, 20, 500, 0.03, 0.15, 0.4, 0.05, 0.08, 0.03),
    *(40, 50, 250, 4000, 0.25, 1, 1.2, 0.3, 0.6, 0.2),
)
"""About the largest that each feature of `breast-cancer` is in any person: round numbers, as known in medicine."""


def digits(events: int, seed: int) -> LabelledEvents:
    """1,797 digits by hand, 64 shades from 0 to 16 each."""
    made = needed("sklearn.datasets").load_digits()
    return repeated(made.data / 8 - 1, made.target.astype(np.int64), 10, events, seed)


def breast_cancer(events: int, seed: int) -> LabelledEvents:
    """569 tumours, thirty sizes each, malignant (0) or benign (1)."""
    made = needed("sklearn.datasets").load_breast_cancer()
    return repeated(2 * made.data / np.array(CELL_SCALES) - 1, made.target.astype(np.int64), 2, events, seed)
