"""Continual DP-SGD at (1, 1e-6), (2, 1e-6) and (8, 1e-6): a table of runs, and the figure of the pages drawn from it.

`learning_curves.py run TABLE HORIZON SEEDS` appends a row a run, and leaves out what is there; `draw TABLE PICTURE`
draws medians over seeds, with the spread from the least to the largest, and prints them as Markdown.
"""

import csv
import statistics
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

STREAM, DELTA, EPSILONS = "hyperplane", Fraction(1, 10**6), (1, 2, 8)
METHODS = ("paper", "sharp", "gaussian", "batches", "no-privacy")
COLUMNS = (
    *("events", "epsilon", "method", "seed", "level", "noise_per_coordinate", "models", "delay_mean", "delay_most"),
    *("waiting_most", "accuracy", "seconds"),
)
Key = tuple[int, int, str]
Rows = dict[Key, list[dict[str, float]]]


def run(table: Path, horizon: int, seeds: int) -> None:
    """All runs of one horizon that the table lacks, seed by seed."""
    from dpcert.mechanisms.learning.calibration import Wish
    from dpcert.mechanisms.training.setting import SgdSetting
    from dpcert.mechanisms.training.trained import trained

    known = {(k, int(row["seed"])) for k, rows in read(table).items() for row in rows} if table.exists() else set()
    if not table.exists():
        table.write_text(",".join(COLUMNS) + "\n")
    for seed in range(1, seeds + 1):
        for epsilon in EPSILONS:
            setting = SgdSetting(STREAM, Wish(Fraction(epsilon), DELTA, horizon))
            for method in METHODS:
                if ((horizon, epsilon, method), seed) in known:
                    continue
                one = trained(setting, method, seed)
                mean, most = one.measures.delay()
                numbers = (
                    *(horizon, epsilon, method, seed, one.level, f"{float(one.noise_per_coordinate):.6g}"),
                    *(len(one.measures.left), f"{mean:.6g}", most, one.measures.most_waiting),
                    *(f"{one.measures.accuracy:.6f}", f"{one.seconds:.2f}"),
                )
                with table.open("a") as file:
                    file.write(",".join(map(str, numbers)) + "\n")


def read(table: Path) -> Rows:
    """The runs of each horizon, epsilon and method."""
    found: Rows = defaultdict(list)
    with table.open() as file:
        for row in csv.DictReader(file):
            key = int(row["events"]), int(row["epsilon"]), row["method"]
            found[key].append({name: float(row[name]) for name in COLUMNS if name != "method"})
    return found


def median(rows: list[dict[str, float]], name: str) -> tuple[float, float, float]:
    """The middle, the least and the largest."""
    values = [row[name] for row in rows]
    return statistics.median(values), min(values), max(values)


def draw(table: Path, picture: Path) -> None:
    """Three rows of panels, a column a horizon: noise, delay, accuracy against epsilon."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = read(table)
    horizons = sorted({events for events, _, _ in found})
    figure, axes = plt.subplots(3, len(horizons), figsize=(3.4 * len(horizons), 7.6), sharex=True, sharey="row")
    names = {"noise_per_coordinate": "noise per coordinate", "delay_mean": "mean delay, events", "accuracy": "accuracy"}
    strokes = dict(
        zip(METHODS, (("#d55e00", "s"), ("#0072b2", "o"), ("#009e73", "^"), ("#666", "x"), ("#999", ".")), strict=True)
    )
    for column, events in enumerate(horizons):
        for at, (name, words) in enumerate(names.items()):
            panel = axes[at][column]
            for method, (colour, mark) in strokes.items():
                if method == "no-privacy" and name != "accuracy":
                    continue
                points = [(e, *median(found[events, e, method], name)) for e in EPSILONS if found[events, e, method]]
                x, middle, low, high = zip(*points, strict=True)
                off = [
                    [m - a for m, a in zip(middle, low, strict=True)],
                    [b - m for m, b in zip(middle, high, strict=True)],
                ]
                panel.errorbar(x, middle, off, color=colour, marker=mark, capsize=2, linewidth=1.3, label=method)
            panel.set(xscale="log", xticks=EPSILONS, xticklabels=EPSILONS)
            panel.minorticks_off()
            panel.grid(alpha=0.3)
            if name != "accuracy":
                panel.set(yscale="log")
            if not column:
                panel.set_ylabel(words)
        many = max(len(found[events, e, m]) for e in EPSILONS for m in METHODS)
        axes[0][column].set_title(f"{events:,} events, {many} seeds", fontsize=10)
        axes[2][column].set_xlabel("ε (δ = 1e-6)")
    figure.legend(*axes[2][0].get_legend_handles_labels(), loc="lower center", ncols=5, frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(picture, dpi=110)
    print("\n".join(markdown(found)))


def markdown(found: Rows) -> list[str]:
    """Medians, with the spread of what varies."""
    lines = [
        "| events | ε | method | U | noise / coordinate | mean delay | longest | accuracy (least to largest) | seeds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (events, epsilon, method), rows in sorted(
        found.items(), key=lambda i: (i[0][0], i[0][1], METHODS.index(i[0][2]))
    ):
        accuracy = " ".join(
            text.format(100 * v)
            for text, v in zip(("{:.1f} %", "({:.1f} to", "{:.1f})"), median(rows, "accuracy"), strict=True)
        )
        noise, delay, most = (median(rows, name)[0] for name in ("noise_per_coordinate", "delay_mean", "delay_most"))
        shown = "none" if method == "no-privacy" else f"{epsilon}"
        lines.append(
            f"| {events:,} | {shown} | {method} | {rows[0]['level']:.0f} | {noise:.3g} | {delay:,.0f} | {most:,.0f} "
            f"| {accuracy} | {len(rows)} |"
        )
    return lines


if __name__ == "__main__":
    action, where, *rest = sys.argv[1:]
    if action == "run":
        run(Path(where), *map(int, rest))
    else:
        draw(Path(where), Path(rest[0]))
