"""Conditions and rungs in plain words: what each means, what a witness shows, what repairs it."""

from dpcert.audit.frozen import frozen


@frozen
class Explanation:
    """Three short texts about one condition or rung, and where it comes from."""

    meaning: str
    witness: str
    repair: str
    source: str


EXPLANATIONS = {
    "PREFIX_DEPENDENCE": Explanation(
        "What is released in a round depends on the inputs up to that round, not on later ones.",
        "Two streams that agree so far and differ later, with different releases now.",
        "Release later, or release something that can be computed from what has arrived. See future-release among the "
        "faults of `dpcert list --broken`.",
        "paper.tex, sec:cert, item 1; defn:indep_decomp",
    ),
    "FRESH_RANDOMNESS": Explanation(
        "Every round draws randomness of its own, independent of all other rounds.",
        "Two histories of releases with the same inputs after which the next release has different laws; or seeds "
        "whose joint law is not a product, or a round that reads another round's seed.",
        "Draw new noise each round. It is not necessary: a mechanism may share noise and still show no gap. See "
        "reused-noise, correlated-seeds and private-halt among the faults of `dpcert list --broken`.",
        "paper.tex, sec:cert, item 2; defn:indep_decomp; claim 72",
    ),
    "DETERMINISTIC_MAP": Explanation(
        "Given its randomness and the inputs so far, a release is determined: asked twice, it answers the same.",
        "One question with two answers.",
        "Move whatever changes (a clock, a counter, a cache, a global generator) into the state or into the draws. See "
        "hidden-counter and wall-clock among the faults of `dpcert list --broken`.",
        "paper.tex, sec:cert, item 3",
    ),
    "STABLE_COST": Explanation(
        "How much one round reveals about a changed input does not depend on the inputs that both worlds share. It is "
        "decided by a ladder of certificates, strongest first: SCALAR, VECTOR, CONTEXT_STABLE, FUTURE_STABLE, "
        "CONTEXT_DOMINATED. Any of them makes every fixed-stream guarantee hold for adaptive adversaries too.",
        "See the rung. Failing all rungs is no attack: it means that an argument about the interaction is needed.",
        "Make the noise scale and the sampling rate constants, or functions of the round number only.",
        "paper.tex, sec:cert, item 4; thm:noise-ind-DP; claims 69, 70 and 107",
    ),
    "POST_PROCESSING": Explanation(
        "What is published is computed from the core's releases and from nothing else.",
        "Two executions with the same core releases so far and different published values.",
        "Compute the published value from the transcript; put anything else into the core and pay for it. See "
        "peeking-value among the faults of `dpcert list --broken`.",
        "paper.tex, sec:cert, item 5",
    ),
    "SCALAR": Explanation(
        "The power function between any two histories in a round is decided by the distance between two aggregates of "
        "their inputs, and never falls as the distance grows.",
        "One discrepancy with two power functions, a pair of histories whose two directions differ, or two "
        "incomparable power functions in one round: each excludes every distance.",
        "Add symmetric noise of a fixed shape to a sum of inputs.",
        "paper.tex, defn:quant_decomp and defn:inv_pair",
    ),
    "VECTOR": Explanation(
        "The same with the difference of the aggregates in place of their distance, so the noise may be lopsided and "
        "the aggregate a vector.",
        "One discrepancy with two power functions under different common inputs: it excludes every difference.",
        "Add noise of a fixed shape to a sum of inputs.",
        "paper.tex, rem:vector_quant_decomp",
    ),
    "CONTEXT_STABLE": Explanation(
        "For every challenge (round, input, other input) each round has one power function, whatever the common inputs "
        "before and after are.",
        "Two contexts of one challenge with different power functions in one round, and a slope at which they differ.",
        "Take the dependence on common inputs out of the noise.",
        "claim 69, beyond the paper",
    ),
    "FUTURE_STABLE": Explanation(
        "The same with the inputs before the challenge given: only later common inputs must not matter. A noise scale "
        "chosen by earlier inputs is fine.",
        "Two continuations after one challenge with different power functions in one round. An adversary can choose "
        "between them by what it saw.",
        "Fix everything that decides the noise before the input that it has to hide.",
        "claim 107, beyond the paper",
    ),
    "CONTEXT_DOMINATED": Explanation(
        "For every challenge, even the best context in every round at once stays under the fixed-stream curve.",
        "A challenge and an e^epsilon at which the product of the best contexts exceeds the fixed-stream curve.",
        "As for FUTURE_STABLE, or prove a weaker guarantee for the adaptive game directly.",
        "claim 70, beyond the paper",
    ),
}
