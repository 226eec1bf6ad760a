"""The law of `dpcert.laws` that says exactly what an unsupported call of a generator stands for."""

_LAWS = {
    "rounded_gaussian": ("gauss", "normalvariate", "normal", "standard_normal"),
    "rounded_laplace": ("laplace",),
    "geometric": ("expovariate", "exponential", "standard_exponential", "geometric"),
    "binomial": ("binomialvariate",),
    "uniform": ("uniform",),
    "from_weights": (
        "beta", "betavariate", "chisquare", "dirichlet", "f", "gamma", "gammavariate", "gumbel", "hypergeometric",
        "logistic", "lognormal", "lognormvariate", "logseries", "multinomial", "multivariate_hypergeometric",
        "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "pareto", "paretovariate",
        "poisson", "power", "rayleigh", "standard_cauchy", "standard_gamma", "standard_t", "triangular", "vonmises",
        "vonmisesvariate", "wald", "weibull", "weibullvariate", "zipf",
    ),
}  # fmt: skip
LAW_OF = {call: law for law, calls in _LAWS.items() for call in calls}
"""By the name of the call."""


def instead_of(call: str) -> str:
    """` or a step that draws from dpcert.laws.NAME(...)`, after a comma; empty for a call that draws nothing.

    >>> instead_of("random.Random.gauss")
    ', or a step that draws from dpcert.laws.rounded_gaussian(...),'
    """
    law = LAW_OF.get(call.rpartition(".")[2])
    return "" if law is None else f", or a step that draws from dpcert.laws.{law}(...),"
