"""Rows 1 to 5, and 19: syncs of users."""

import os

from .figures import Figure, turns
from .processes import cost_of
from .programs import Demo, Userd

USERS = 100_000
# The limit on bytes written for a transition and its checkpoint.
TRANSITION = 256 * 1024


def add(bench, row, what, peer_name, ours, theirs, times=None, most=None, cpu_times=None):
    """Adds two figures: the time, and its processor time, which varies less on a shared machine."""
    bench.figures.append(
        Figure(row, what, [cost.wall for cost in ours], peer_name, [cost.wall for cost in theirs], times=times, most=most))
    bench.figures.append(
        Figure(row, "processor time of that", [cost.cpu for cost in ours], peer_name, [cost.cpu for cost in theirs], times=cpu_times))


def written(bench, row, ours, most=None):
    bench.figures.append(Figure(row, "written to disk", [cost.written for cost in ours], unit="bytes", most=most))


def first(bench):
    """Row 1: a first sync, compared with curl into sqlite3."""
    server, url = bench.nginx()
    script = os.path.dirname(__file__) + "/load.sh"

    def ours():
        bench.fresh("first")
        userd = Userd(bench, "first", upstream(url + "/plain/")).ready()
        cost = userd.spending(lambda: userd.sync(USERS))
        userd.stop()
        return cost

    def theirs():
        return cost_of(["bash", script, bench.fresh("loaded"), url + "/plain/"])

    ours, theirs = turns(bench.runs, ours, theirs)
    server.stop()
    add(bench, "1", "first sync of 100,000 users", "curl, sqlite3", ours, theirs, times=1.2)
    bench.figures.append(Figure(
        "1", "peak memory", [cost.memory for cost in ours], "curl, sqlite3", [cost.memory for cost in theirs], "bytes"))
    written(bench, "1", ours)


def again(bench):
    """Row 2: an unchanged sync, compared with curl."""
    server, url = bench.nginx()
    userd = Userd(bench, "again", upstream(url + "/plain/") | {"database": bench.copied("again", USERS)}).ready()
    # The cache was filled from another URL.
    userd.sync(USERS)
    fetch = fetching(url + "/plain/")
    ours, theirs = turns(bench.runs, lambda: userd.spending(lambda: userd.sync(USERS)), lambda: cost_of(fetch))
    userd.stop()
    server.stop()
    add(bench, "2", "the same again, unchanged, no validators", "curl", ours, theirs, times=1.5)
    written(bench, "2", ours, TRANSITION)


def validated(bench):
    """Row 3: an unchanged sync with ETag, compared with curl and If-None-Match."""
    server, url = bench.nginx()
    userd = Userd(bench, "validated", upstream(url + "/etag/") | {"database": bench.copied("validated", USERS)}).ready()
    userd.sync(USERS)
    tags = bench.fresh("tags")
    cost_of(fetching(url + "/etag/", f"--etag-save {tags}/$page"))
    fetch = fetching(url + "/etag/", f"--etag-compare {tags}/$page")
    ours, theirs = turns(bench.runs, lambda: userd.spending(lambda: userd.sync(USERS)), lambda: cost_of(fetch))
    userd.stop()
    server.stop()
    add(bench, "3", "the same with ETag: 20 answers of 304", "curl", ours, theirs, most=0.25)
    written(bench, "3", ours, TRANSITION)


def million(bench):
    """Row 4: a first sync of a million users, once, with the demo upstream on the same cores."""
    bench.fresh("million")
    demo = Demo(bench, 1_000_000)
    userd = Userd(bench, "million", {"users.url": demo.url, "users.pages": 200}).ready()
    cost = userd.spending(lambda: userd.sync(1_000_000))
    userd.stop()
    demo.stop()
    bench.fresh("million")
    bench.figures += [
        Figure("4", "first sync of 1,000,000 users, demo upstream", [cost.wall]),
        Figure("4", "processor time of that", [cost.cpu], most=120),
        Figure("4", "peak memory", [cost.memory], unit="bytes", most=192 * 2**20),
    ]


def changed(bench):
    """Row 5: a sync after every hundredth of 100,000 users has changed, compared with a first sync."""
    server, url = bench.nginx()
    userd = Userd(bench, "changed", upstream(url + "/plain/") | {"database": bench.copied("changed", USERS)}).ready()
    userd.sync(USERS)
    served = ["first"]

    def ours():
        served[0] = "second" if served[0] == "first" else "first"
        bench.serve(served[0])
        return userd.spending(lambda: userd.sync(USERS))

    def theirs():
        bench.fresh("first")
        other = Userd(bench, "first", upstream(url + "/plain/")).ready()
        cost = other.spending(lambda: other.sync(USERS))
        other.stop()
        return cost

    ours, theirs = turns(bench.runs, ours, theirs)
    userd.stop()
    server.stop()
    add(bench, "5", "1 % changed of 100,000", "first sync", ours, theirs, cpu_times=1)
    written(bench, "5", ours)


def directory(bench):
    """Row 19: an unchanged SCIM directory on 100 pages, with one account in fifty inactive, compared with curl."""
    server, url = bench.scim()
    bench.fresh("scim")
    userd = Userd(bench, "scim", {
        "users.format": "scim", "users.url": url, "users.query": "", "users.page_size": 1000}).ready()
    users = USERS - USERS // 50
    userd.sync(users)
    fetch = ["bash", "-ec", f'for start in {{1..{USERS}..1000}}; do curl -sf -o /dev/null "{url}?startIndex=$start&count=1000"; done']
    ours, theirs = turns(bench.runs, lambda: userd.spending(lambda: userd.sync(users)), lambda: cost_of(fetch))
    userd.stop()
    server.stop()
    add(bench, "19", "SCIM, unchanged, one in fifty inactive, no validators", "curl", ours, theirs, times=1.5)
    written(bench, "19", ours, TRANSITION)


def fetching(url, options=""):
    """A script's loop with a curl for each page, because --etag-compare takes one URL."""
    address = f'"{url}?page=$page&results=5000"'
    return ["bash", "-ec", f"for page in {{1..20}}; do curl -sf -o /dev/null {options} {address}; done"]


def upstream(url):
    return {"users.url": url, "users.pages": 20}
