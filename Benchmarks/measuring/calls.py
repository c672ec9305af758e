"""Rows 6 to 11: round trips over the socket."""

import os
import sqlite3
import time

from .figures import Figure, turns
from .processes import Process, run
from .programs import Redis, ask, message

USERS = 100_000
# Search words that match one user in two hundred, one in eleven and one in three.
RARE, WORD, LETTER = "berg", "united", "a"
# Finds nobody.
SLIP = "bradlay"
MILLION = 1_000_000

# A client gets the first processor and its server the others, if there are any. The scheduler alone would put an echo on its
# client's processor in some runs only, and round trips would differ by a factor of five.
CLIENT = ["taskset", "--cpu-list", "0"]
SERVER = f"{min(1, os.cpu_count() - 1)}-{os.cpu_count() - 1}"


def placed(server):
    """Puts a server on its own processors, and returns it."""
    run(["taskset", "--all-tasks", "--cpu-list", "--pid", SERVER, str(server.pid)])
    return server


class Calls:
    """Round trips of one request, and how many of them make a fair sample."""

    def __init__(self, bench, path, request, in_flight=1, seconds=0.5):
        requests = bench.folder("requests") + f"/{time.monotonic_ns()}"
        self.command = [*CLIENT, bench.compiled("roundtrip"), path, requests, str(in_flight)]
        with open(requests, "wb") as file:
            file.write(request)
        start = time.monotonic()
        self.once(20)
        each = (time.monotonic() - start) / 20
        self.count = min(20_000, max(3, int(seconds / each))) if in_flight == 1 else 20_000

    def once(self, count=None):
        """The seconds of a call."""
        return float(run([*self.command, str(count or self.count)])) / 1e6


def beside_echo(bench, row, method, what, times, **parameters):
    """Compares a method with an echo whose messages have the same sizes."""
    userd = placed(bench.cached(USERS))
    request = message(method, **parameters)
    path = bench.fresh("echo") + "/s"
    echo = Process([bench.compiled("echo"), path, str(len(ask(userd.socket, request)))])
    echo.until(lambda: os.path.exists(path))
    placed(echo)
    ours, theirs = Calls(bench, userd.socket, request), Calls(bench, path, request)
    figure = Figure(row, what, *beside(bench, ours.once, theirs.once, "C echo"), times=times)
    bench.figures.append(figure)
    echo.stop()
    userd.stop()


def beside(bench, ours, theirs, name):
    """Measures both in turns, and returns the arguments of a figure."""
    mine, others = turns(bench.runs, ours, theirs)
    return mine, name, others


def state(bench):
    """Row 6."""
    beside_echo(bench, "6", "GetState", "GetState round trip, one client", 1.3)


def users(bench):
    """Row 7."""
    userd = placed(bench.cached(USERS))
    key = unique_address(userd)
    userd.stop()
    beside_echo(bench, "7", "GetUser", "GetUser by address", 5, key=key)
    beside_echo(bench, "7", "ListUsers", "ListUsers of 20", 6, limit=20)


def unique_address(userd):
    """An address of one user only: most of the demo's users share theirs, and GetUser would answer with an error."""
    page = {"next": None}
    while True:
        after = {"cursor": page["next"]} if page["next"] else {}
        page = userd.call("ListUsers", order="email", limit=1000, **after)
        for address in sorted({user["email"] for user in page["users"]}):
            if b'"error"' not in ask(userd.socket, message("GetUser", key=address))[:10]:
                return address


def pipelined(bench):
    """Row 8: a hundred calls in flight, compared with Redis and a value of the same size."""
    userd, redis = placed(bench.cached(USERS)), Redis(bench)
    redis.until(redis.is_ready)
    placed(redis)
    # Ends with NUL, since the client counts those.
    redis.set(b"k", ask(userd.socket, message("GetState")))
    ours = Calls(bench, userd.socket, message("GetState"), in_flight=100)
    theirs = Calls(bench, redis.socket, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", in_flight=100)
    bench.figures.append(
        Figure("8", "GetState, 100 in flight: each", *beside(bench, ours.once, theirs.once, "Redis GET"), most=10e-6))
    redis.stop()
    userd.stop()


class Table:
    """The same reads from a database of sqlite3's own, with statements that are compiled once."""

    def __init__(self, bench, users):
        self.connection = sqlite3.connect(f"file:{bench.table(users)}?mode=ro", uri=True)
        self.connection.execute("PRAGMA cache_size = -65536")

    def page(self):
        return self._seconds(["SELECT record FROM users ORDER BY name_key LIMIT 20"], ())

    def search(self, word):
        matching = "SELECT rowid FROM user_words WHERE user_words MATCH ?"
        return self._seconds([
            f"SELECT count(*) FROM ({matching})",
            f"SELECT record FROM users WHERE number IN ({matching}) ORDER BY name_key LIMIT 20"], (f'"{word}" *',))

    def within(self, part):
        return self._seconds(["SELECT record FROM users WHERE name_key LIKE ? LIMIT 20"], (f"%{part}%",))

    def _seconds(self, queries, arguments, count=5):
        times = []
        for _ in range(count):
            start = time.monotonic()
            for query in queries:
                self.connection.execute(query, arguments).fetchall()
            times.append(time.monotonic() - start)
        return sorted(times)[count // 2]


def page_of(bench, userd, **parameters):
    return Calls(bench, userd.socket, message("ListUsers", limit=20, **parameters))


def first_page(bench):
    """Row 9: the first page, with a million users and with ten thousand."""
    table, many, few = Table(bench, MILLION), placed(bench.cached(MILLION)), placed(bench.cached(10_000, "few"))
    ours, fewer = page_of(bench, many), page_of(bench, few)
    bench.figures += [
        Figure("9", "first page of 20 at 1,000,000", *beside(bench, ours.once, table.page, "sqlite3"), most=1e-3),
        Figure("9", "the same", *beside(bench, ours.once, fewer.once, "userd at 10,000")),
    ]
    few.stop()
    many.stop()


def search(bench, row, users, most):
    table, userd = Table(bench, users), placed(bench.cached(users))
    for word, what in ((RARE, "rare word"), (WORD, "word"), (LETTER, "letter")):
        total = userd.call("ListUsers", search=word, limit=1)["total"]
        ours = page_of(bench, userd, search=word)
        bench.figures.append(Figure(
            row, f"search of one {what} at {users:,} ({total:,} match)",
            *beside(bench, ours.once, lambda: table.search(word), "sqlite3, FTS5"), most=most))
    assert not userd.call("ListUsers", search=SLIP, limit=1)["users"]
    near = userd.call("ListUsers", search=SLIP, near=True)["total"]
    assert near
    ours = page_of(bench, userd, search=SLIP, near=True)
    bench.figures.append(Figure(
        row, f"the {near} nearest to a slip at {users:,}",
        *beside(bench, ours.once, lambda: table.within(SLIP[1:-1]), "sqlite3, LIKE"), most=5 * most))
    userd.stop()


def searches(bench):
    """Row 10."""
    search(bench, "10", USERS, 20e-3)


def searches_of_a_million(bench):
    """Row 11."""
    search(bench, "11", MILLION, 0.1)
