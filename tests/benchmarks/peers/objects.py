"""Real objects of jax-privacy and dp-accounting, for `dpcert matrix` and `dpcert gaussian --event` to be asked about.

The user's file of a test: its packages are those of the peers' environment, at the end of the import path.
"""

import os
import sys

sys.path.append(os.environ["DPCERT_PEER_PACKAGES"])

import jax
import numpy as np
from dp_accounting import dp_event as e
from jax_privacy.matrix_factorization import banded, buffered_toeplitz, toeplitz

jax.config.update("jax_enable_x64", False)  # as jax has it by default, however often this file is read
single = banded.ColumnNormalizedBanded.default(16, 4)
coefficients_single = toeplitz.optimal_max_error_strategy_coefs(16)
noising_single = toeplitz.inverse_as_streaming_matrix(coefficients_single[:4])
jax.config.update("jax_enable_x64", True)
blt = buffered_toeplitz.BufferedToeplitz.build([0.9, 0.4], [0.3, 0.2])
streaming = blt.as_streaming_matrix()
noising = blt.inverse_as_streaming_matrix()
coefficients = toeplitz.optimal_max_error_strategy_coefs(16)
column_normalised = banded.ColumnNormalizedBanded.default(16, 4)
as_array = np.asarray(column_normalised.materialize())

gaussian = e.SelfComposedDpEvent(e.GaussianDpEvent(4.0), 16)
gaussian_far = e.GaussianDpEvent(0.25)
discrete = e.SelfComposedDpEvent(e.DiscreteLaplaceDpEvent(0.1, 2), 20)
discrete_both = e.ComposedDpEvent([e.DiscreteLaplaceDpEvent(0.25, 1), e.SelfComposedDpEvent(e.GaussianDpEvent(2.0), 3)])
laplace = e.SelfComposedDpEvent(e.LaplaceDpEvent(5.0), 10)
randomised = e.SelfComposedDpEvent(e.RandomizedResponseDpEvent(0.5, 4), 10)
randomised_once = e.RandomizedResponseDpEvent(0.5, 4)
concentrated = e.ComposedDpEvent([e.ZCDpEvent(0.1), e.GaussianDpEvent(4.0)])
nothing = e.NoOpDpEvent()
no_privacy = e.NonPrivateDpEvent()
sampled = e.PoissonSampledDpEvent(0.1, e.GaussianDpEvent(1.0))
enumerated = e.SelfComposedDpEvent(e.PoissonSampledDpEvent(0.25, e.DiscreteLaplaceDpEvent(0.5, 1)), 10)
