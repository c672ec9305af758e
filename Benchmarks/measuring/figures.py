"""Measured values, those they are compared with, and budgets."""

import statistics
from dataclasses import dataclass, field


def text(value, unit):
    """A value with three digits, in a suitable unit."""
    if unit == "s":
        for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
            if value * factor >= 1 or name == "µs":
                return f"{digits(value * factor)} {name}"
    if unit == "bytes":
        for factor, name in ((2**20, "MiB"), (2**10, "KiB"), (1, "bytes")):
            if value >= factor or factor == 1:
                return f"{digits(value / factor)} {name}"
    return f"{digits(value)} {unit}".strip()


def digits(value):
    return f"{value:.0f}" if value >= 100 or value == 0 else f"{value:.3g}"


def median(values):
    return statistics.median(values)


@dataclass
class Figure:
    """A row of the table. The values of userd and its peer are from the same turns."""

    row: str
    what: str
    userd: list
    peer_name: str = ""
    peer: list = field(default_factory=list)
    unit: str = "s"
    # Budgets: a multiple of the peer's value, and an absolute limit. Either may be missing.
    times: float = None
    most: float = None

    def ratios(self):
        return [ours / theirs for ours, theirs in zip(self.userd, self.peer)] if all(self.peer) else []

    def is_met(self):
        """Whether the budget is kept; None without a budget."""
        limits = []
        if self.times is not None and self.ratios():
            limits.append(median(self.ratios()) <= self.times)
        if self.most is not None:
            limits.append(median(self.userd) <= self.most)
        return all(limits) if limits else None

    def cells(self):
        ratios = self.ratios()
        ratio = f"{median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g})" if ratios else ""
        limits = [f"≤ {self.times:g} ×"] if self.times is not None else []
        limits += [f"≤ {text(self.most, self.unit)}"] if self.most is not None else []
        peer = f"{text(median(self.peer), self.unit)} ({self.peer_name})" if self.peer else ""
        met = {None: "", True: "yes", False: "no"}[self.is_met()]
        return [self.row, self.what, text(median(self.userd), self.unit), peer, ratio, ", ".join(limits), met]


HEADER = ["#", "what", "userd", "peer in the same run", "ratio (spread)", "budget", "met"]


def markdown(lines, header):
    """A Markdown table with columns aligned in the text, too."""
    widths = [max(len(line[column]) for line in [header, *lines]) for column in range(len(header))]
    rows = [header, ["-" * width for width in widths], *lines]
    return "".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |\n" for row in rows)


def turns(count, ours, theirs):
    """Measures both in turns, so that other work of the machine affects both, and lets each be first equally often."""
    mine, others = [], []
    for turn in range(count):
        for measured, into in ((ours, mine), (theirs, others))[:: 1 if turn % 2 == 0 else -1]:
            into.append(measured())
    return mine, others
