"""Words of a report in a sentence or two each, for whoever meets them first."""

GLOSSARY = {
    "adjacency": "Which two streams of inputs an observer must not tell apart: by default those that differ in any one "
    "round (hamming).",
    "adversary": "Whoever submits the inputs, two at a time where the worlds differ, and guesses the world at the end. "
    "An adaptive one chooses each input by what was released so far, a fixed stream knows them all beforehand.",
    "certificate": "A property of each round by itself from which it follows that adaptive adversaries gain nothing. "
    "It is looked for on the rungs of a ladder.",
    "challenge": "A round in which the two worlds get different inputs, with those two inputs.",
    "chance of certain disclosure": "delta at infinity: how much of what may happen in one world cannot happen in the "
    "other, so that whoever sees it is sure.",
    "curve": "delta for every epsilon at once, or, which says the same, the power function.",
    "delta": "The most by which the chance of any event in one world exceeds e^epsilon times its chance in the other.",
    "discrepancy": "How far two histories of inputs are apart for one round: the distance or the difference of their "
    "aggregates over the rounds that it looks at.",
    "gap": "What adaptive adversaries reach beyond the best fixed stream, at some epsilon.",
    "hull": "The best that can be had by choosing between curves, also at random: the least concave curve above them.",
    "kernel digest": "A fingerprint of all laws that the audit met, in an order of their own. It changes when the "
    "mechanism's probabilities do, and not with the text of its code.",
    "order": "Which world's probability is the larger: 0-1 or 1-0. A guarantee needs both.",
    "position": "What matters of the past for the rest of a game: the mechanism's state, or what is believed of it, "
    "and how far the two streams are apart. Histories that lead to one position are one.",
    "power function": "For each chance of a false alarm, the best chance of a right alarm: how well an observer tells "
    "the worlds apart, over all tests. The diagonal is perfect privacy; the higher, the worse.",
    "release": "What everybody sees of a round.",
    "rung": "One kind of certificate, from the strongest (SCALAR) to the weakest (CONTEXT_DOMINATED).",
    "scope": "What a verdict is about: rounds, inputs, the neighbouring relation. It says nothing of anything else.",
    "slope": "e^epsilon, as the slope of a line that touches a power function.",
    "total variation": "delta at epsilon 0: twice what an observer wins over blind guessing where both worlds are as "
    "likely.",
    "undecided": "Neither shown nor refuted within the work that was allowed; bounds are given instead.",
    "vacuous": "True only because nothing can happen in the scope: both worlds release by the same laws.",
    "witness": "Numbers by which a reader can check a refutation by hand; they were replayed by another path.",
}
"""Word -> what it means, by word."""
