"""Measures how cost grows with the number of rows, and draws it as SVG."""

import math

from .calls import LETTER, WORD, Table, page_of
from .commands import hyperfine
from .figures import median, text

SIZES = [1000, 10_000, 100_000, 1_000_000]
COLOURS = ["#1b6ac9", "#c9471b", "#1f8a4c", "#8a3fb0", "#a07a00"]


def grow(bench):
    """Seconds of each kind of work at each size: userd's, and sqlite3's if it can do the same."""
    lines = {}

    def add(name, who, users, seconds):
        lines.setdefault((name, who), []).append((users, seconds))

    for users in SIZES:
        add("first sync, processor time", "userd", users, bench.cache(users)[1]["cpu"])
        table, userd = Table(bench, users), bench.cached(users)
        page = "SELECT record FROM users ORDER BY name_key"
        for name, ours, theirs in (
            ("dump as JSON",
             lambda: hyperfine(bench, [bench.userctl, "list", "--all", "--output", "json"], 1, userd),
             lambda: hyperfine(bench, ["sqlite3", "-json", bench.table(users), page], 1, userd)),
            ("search of one letter", page_of(bench, userd, search=LETTER).once, lambda: table.search(LETTER)),
            ("search of one word", page_of(bench, userd, search=WORD).once, lambda: table.search(WORD)),
            ("first page of 20", page_of(bench, userd).once, table.page),
        ):
            add(name, "userd", users, median([ours() for _ in range(3)]))
            add(name, "sqlite3", users, median([theirs() for _ in range(3)]))
        userd.stop()
    return lines


def draw(lines):
    """Draws the lines on logarithmic axes: userd's solid, sqlite3's dashed."""
    width, height, left, right, top, bottom = 860, 520, 80, 240, 30, 60
    values = [seconds for line in lines.values() for _, seconds in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(SIZES[0]), math.log10(SIZES[-1])

    def place(users, seconds):
        x = left + (math.log10(users) - first) / (last - first) * (width - left - right)
        y = top + (high - math.log10(seconds)) / (high - low) * (height - top - bottom)
        return x, y

    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
        '<title>How cost grows with users</title>', f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for power in range(low, high + 1):
        y = place(SIZES[0], 10**power)[1]
        svg.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>')
        svg.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{text(10**power, "s")}</text>')
    for users in SIZES:
        x = place(users, 10**low)[0]
        svg.append(f'<path d="M{x:.1f} {top}V{height - bottom}" stroke="#ddd"/>')
        svg.append(f'<text x="{x:.1f}" y="{height - bottom + 20}" text-anchor="middle">{users:,}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 14}" text-anchor="middle">users</text>')
    names = list(dict.fromkeys(name for name, _ in lines))
    for (name, who), line in lines.items():
        colour, points = COLOURS[names.index(name)], [place(*point) for point in line]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        dash = "" if who == "userd" else ' stroke-dasharray="5 4"'
        svg.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if who == "userd":
            svg += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    # Labels are in the order of the lines' ends, and do not overlap.
    ends, floor = sorted((place(*line[-1])[1], name) for (name, who), line in lines.items() if who == "userd"), 0
    for y, name in ends:
        y = floor = max(y, floor + 18)
        svg.append(f'<text x="{width - right + 12}" y="{y + 4:.1f}" fill="{COLOURS[names.index(name)]}">{name}</text>')
    svg.append(f'<text x="{width - right + 12}" y="{height - bottom}" fill="#555">dashed: sqlite3</text>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def table(lines):
    """The same values as a table."""
    header = ["", *(f"{users:,}" for users in SIZES)]
    return [[f"{name}, {who}", *(text(seconds, "s") for _, seconds in line)] for (name, who), line in lines.items()], header
