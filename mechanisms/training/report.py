"""Runs as tables and figures: accuracy over time, against epsilon and against waiting; what waits; the account."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import down, measured, up
from dpcert.audit.records.section import Figure, Section, section
from dpcert.mechanisms.models.adaptive_clip import AdaptiveClip
from dpcert.mechanisms.training.baselines import HAMMING_ONLY
from dpcert.mechanisms.training.document import account, user_of
from dpcert.mechanisms.training.setting import SgdSetting
from dpcert.mechanisms.training.summary import Spread, Summary
from dpcert.mechanisms.training.trained import BASELINES

MOST_DRAWN_SETTINGS = 4
"""Settings of a sweep that have pictures of their own."""
RUN_COLUMNS = ("events", "ε", "split", "method")
"""The columns that tables of runs begin with."""
USER_DIGITS = 4
"""Significant digits of what is kept for all events of one user."""
SECRET = (
    "Accuracy, waiting and delays are worked out of the events and of RandBin's bins: they are for whoever has both, "
    "and no guarantee covers them. What may be published of one run is its models and their times."
)
ONE_RUN = "Each run keeps its promise by itself; models of several runs on the same events cost their sum."
SIMULATED = "SIMULATION: all randomness is from a seed, so that runs can be compared; nothing of it is private."


def lead(summaries: Sequence[Summary], *, simulated: bool, stopped: bool) -> str:
    """The runs in a sentence or two."""
    runs = sum(len(one.runs) for one in summaries)
    parts = [SIMULATED] if simulated else []
    many = "1 run" if runs == 1 else f"{runs:,} runs"
    parts += [f"Interrupted after {many}."] if stopped else [f"{many}."]
    parts += [f"It goes on from event {first:,}, from which all is measured." for first in _resumed(summaries)]
    private = [one for one in summaries if one.method not in BASELINES]
    if private:
        best = max(private, key=lambda one: one.accuracy.middle)
        parts.append(
            f"Most events foretold by {best.method}, at ε = {up(best.setting.wish.epsilon)}: "
            f"{_percent(best.accuracy.middle)} %, after a mean delay of {_short(best.delay.middle)} rounds."
        )
    return " ".join(parts)


def _resumed(summaries: Sequence[Summary]) -> list[int]:
    return [run.measures.first + 1 for one in summaries for run in one.runs if run.measures.first]


ADAPTIVE = (
    "The clip follows gradients: noise a coordinate is in units of the clip in force, and the last weight of a model "
    "is the logarithm of what the clip was multiplied by since its start."
)
"""What is said where the clip is adaptive."""


def remarks(summaries: Sequence[Summary]) -> list[str]:
    """What is to be known of the numbers."""
    passes = max(one.setting.passes for one in summaries)
    said = [SECRET, ONE_RUN]
    if any(one.method == "batches" for one in summaries):
        said.append(f"Of the baseline: {HAMMING_ONLY}.")
    if any(isinstance(one.setting.clip, AdaptiveClip) for one in summaries):
        said.append(ADAPTIVE)
    if passes > 1:
        said.append(
            f"The file is gone through up to {passes} times: who has a row in it takes part as often, and the promise "
            "is for one of these events, not for all of them together."
        )
    said += [_of_users(one) for one in summaries if one.setting.edits > 1 and one.method not in BASELINES]
    return said


def _of_users(one: Summary) -> str:
    user, wish = user_of(one), one.setting.wish
    if user is None:
        return ""
    both = f"ε = {up(user.epsilon, USER_DIGITS)}, δ = {up(user.delta, USER_DIGITS)} are kept"
    kept = both if user.delta < 1 else "nothing is kept (δ = 1)"
    who = f"for whoever has up to {user.edits} of them"
    return f"{one.method} at ε = {up(wish.epsilon)}, {wish.events:,} events: {who} {kept}, by as many hops."


def sections(summaries: Sequence[Summary], edits: Sequence[dict[str, Any]], said: Sequence[str]) -> Iterator[Section]:
    """Tables and figures, the whole first."""
    users = {_of_users(one) for one in summaries}  # which have a table of their own
    yield _table(summaries, [one for one in said if one not in users])
    yield _waits(summaries)
    yield from _users(summaries)
    settings = list(dict.fromkeys(one.setting for one in summaries))
    yield from _against_epsilon(summaries, settings)
    yield from _against_waiting(summaries, settings)
    for setting in settings[:MOST_DRAWN_SETTINGS]:
        of = [one for one in summaries if one.setting == setting]
        yield _over_time(setting, of)
        yield _backlog(setting, of)
        yield _delays(setting, of)
        yield from _trajectory(setting, of)
    yield from (_edit(one) for one in edits)
    for setting in settings[:MOST_DRAWN_SETTINGS]:
        yield from _accounts(setting, summaries)


def _table(summaries: Sequence[Summary], said: Sequence[str]) -> Section:
    columns = (*RUN_COLUMNS, "accuracy, median", "least", "largest", "U", "noise / coordinate", "models")
    many = max((len(one.runs) for one in summaries), default=0)
    orders = f"Medians over {many} seeds of the data's order." if many > 1 else "One order of the data."

    def cells(one: Summary) -> tuple[str, ...]:
        first, accuracy = one.runs[0], one.accuracy
        shares = (f"{_percent(part)} %" for part in (accuracy.middle, accuracy.least, accuracy.largest))
        noise = up(first.noise_per_coordinate, 3)
        return (*_compared(one), *shares, f"{first.level}", noise, _short(one.releases.middle))

    return section("Runs", " ".join((orders, *said)), columns, map(cells, summaries), brief=True)


def _waits(summaries: Sequence[Summary]) -> Section:
    """A table of its own, so that neither is wider than a page."""
    columns = (*RUN_COLUMNS, "mean delay", "longest delay", "most waiting")
    words = (
        "Rounds from an event's arrival to its bin, of events whose bins left, and the largest Q_t: medians as well."
    )

    def cells(one: Summary) -> tuple[str, ...]:
        return (*_compared(one), *map(_short, (one.delay.middle, one.longest_delay.middle, one.most_waiting.middle)))

    return section("Waiting", words, columns, map(cells, summaries), brief=True)


def _users(summaries: Sequence[Summary]) -> Iterator[Section]:
    """What the promise becomes for a user of several events, and what to ask for instead."""
    rows = []
    for one in summaries:
        user, wish = user_of(one), one.setting.wish
        if user is not None and user.edits > 1:
            each = (down(user.each[0], USER_DIGITS), down(user.each[1], USER_DIGITS))
            kept = (
                up(user.epsilon, USER_DIGITS),
                up(user.delta, USER_DIGITS) if user.delta < 1 else "1: nothing is kept",
            )
            rows.append((f"{wish.events:,}", up(wish.epsilon), one.method, f"{user.edits}", *kept, *each))
    if rows:
        words = (
            "Streams with and without all events of one user are that many single edits apart: ε is multiplied, δ "
            "grows with each hop. The last two columns: what to ask for, so that all of them are kept this ε and δ."
        )
        columns = ("events", "ε", "method", "events of a user", "ε of all", "δ of all", "ask for ε", "ask for δ")
        yield section("Several events of one user", words, columns, rows)


def _compared(one: Summary) -> tuple[str, ...]:
    """What is compared: the cells of RUN_COLUMNS."""
    wish = one.setting.wish
    return (
        f"{wish.events:,}",
        up(wish.epsilon) if one.method != "no-privacy" else "none",
        up(wish.split, 3) if one.method not in BASELINES else "",
        one.method,
    )


def _named(setting: SgdSetting) -> str:
    wish = setting.wish
    split = "" if wish.split == Fraction(1, 2) else f", split {up(wish.split, 3)}"
    return f"{wish.events:,} events, ε = {up(wish.epsilon)}{split}"


def _figure(x: str, y: str, curves: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> Figure:
    return {
        "x": x,
        "y": y,
        "curves": [
            {"name": name, "points": [[_short(a), _short(b)] for a, b in points]} for name, points in curves if points
        ],
    }


def _over_time(setting: SgdSetting, of: Sequence[Summary]) -> Section:
    figure = _figure("events", "accuracy", [(one.method, [(a, b) for a, b in one.windows()]) for one in of])
    words = "Prequential: each event is foretold by the model that is public when it comes; medians in windows."
    return {**section(f"Accuracy over time: {_named(setting)}", words, (), ()), "figure": figure}


def _grouped(settings: Sequence[SgdSetting]) -> list[tuple[str, list[SgdSetting]]]:
    """Settings that differ in epsilon alone, by what they share."""
    groups: dict[str, list[SgdSetting]] = {}
    for one in settings:
        groups.setdefault(f"{one.wish.events:,} events, split {up(one.wish.split, 3)}", []).append(one)
    return list(groups.items())[:MOST_DRAWN_SETTINGS]


def _against(
    summaries: Sequence[Summary], group: Sequence[SgdSetting], at: Callable[[Summary], tuple[float, float]]
) -> list[tuple[str, list[tuple[float, float]]]]:
    methods = dict.fromkeys(one.method for one in summaries)
    return [
        (name, sorted(at(one) for one in summaries if one.method == name and one.setting in group)) for name in methods
    ]


def _against_epsilon(summaries: Sequence[Summary], settings: Sequence[SgdSetting]) -> Iterator[Section]:
    for named, group in _grouped(settings):
        if len(group) > 1:
            curves = _against(summaries, group, lambda one: (float(one.setting.wish.epsilon), one.accuracy.middle))
            made = section(f"Accuracy against ε: {named}", "Medians over the seeds.", (), ())
            yield {**made, "figure": _figure("ε", "accuracy", curves)}


def _against_waiting(summaries: Sequence[Summary], settings: Sequence[SgdSetting]) -> Iterator[Section]:
    for named, group in _grouped(settings):
        curves = _against(summaries, group, lambda one: (one.delay.middle, one.accuracy.middle))
        words = "What waiting costs: a point for each ε, medians over the seeds."
        made = section(f"Accuracy against mean delay: {named}", words, (), ())
        yield {**made, "figure": _figure("mean inclusion delay, in rounds", "accuracy", curves)}


def _backlog(setting: SgdSetting, of: Sequence[Summary]) -> Section:
    curves = [(one.method, [(t, q) for t, q in one.runs[0].measures.waiting()]) for one in of]
    words = "Q_t = t - M_t: events that no released model has seen, right before and after models; the first seed."
    made = section(f"Events that wait: {_named(setting)}", words, (), ())
    return {**made, "figure": _figure("round", "events waiting", curves)}


def _delays(setting: SgdSetting, of: Sequence[Summary]) -> Section:
    def share(one: Summary) -> list[tuple[float, float]]:
        columns = one.runs[0].measures.histogram()
        total = max(1, sum(events for _, _, events in columns))
        return [((a + b) / 2, events / total / (b - a)) for a, b, events in columns]

    words = "Rounds from an event's arrival to its bin, of events whose bins left; the first seed."
    made = section(f"Inclusion delay: {_named(setting)}", words, (), ())
    return {
        **made,
        "figure": _figure("delay, in rounds", "share of events a round", [(o.method, share(o)) for o in of]),
    }


def _trajectory(setting: SgdSetting, of: Sequence[Summary]) -> Iterator[Section]:
    """The first weights of what was released, of the last calibration that ran."""
    private = [one for one in of if one.method not in BASELINES] or list(of)
    one = private[-1]
    points = one.runs[0].measures.trajectory()
    if points:
        curves = [(f"weight {i}", [(p[0], p[i]) for p in points]) for i in range(1, len(points[0]))]
        words = f"The first weights of the models that {one.method} released, the first seed. This is what may be seen."
        made = section(f"Released trajectory: {_named(setting)}", words, (), ())
        yield {**made, "figure": _figure("round", "weight", curves)}


def _edit(one: dict[str, Any]) -> Section:
    words = (
        f"{SIMULATED} The run of {one['method']} on a stream and on the same without event {one['event']}, with all "
        f"randomness shared: {one['releases']} models at the same rounds, {len(one['bins'])} bins that hold other "
        "events. Models behind them differ, for each is made at the one before it; the noise is what hides that."
    )
    rows = ((b["bin"], b["round"], b["events"], b["events_without"]) for b in one["bins"])
    made = section(f"What an edit changes: {one['method']}", words, ("bin", "round", "events", "without it"), rows)
    curve = [(a, b) for a, b in one["distances"]]
    return {**made, "figure": _figure("round", "distance of the models", [(one["method"], curve)])}


def _accounts(setting: SgdSetting, summaries: Sequence[Summary]) -> Iterator[Section]:
    for name in [one.method for one in summaries if one.setting == setting]:
        steps = account(name, setting)
        if steps:
            words = "Why the released trajectory keeps the promise, step by step, each with its claims in the ledger."
            rows = ((claims, theorem, says, up(value, 6)) for claims, theorem, says, value in steps)
            yield section(f"Account of {name}: {_named(setting)}", words, ("claims", "theorem", "step", "number"), rows)


def _short(value: float) -> str:
    return measured(Fraction(value), 5)


def _percent(value: float) -> str:
    return measured(Fraction(value) * 100, 4)


def spread_words(one: Spread) -> str:
    """A median and its spread, in per cent.

    >>> spread_words(Spread(0.5, 0.25, 0.75))
    '50 % (25 to 75)'
    """
    return f"{_percent(one.middle)} % ({_percent(one.least)} to {_percent(one.largest)})"
