"""Rows 13, 14, 16 and 17: userd at rest, its start and its end."""

import contextlib
import socket
import time

from . import manager
from .figures import Figure, turns
from .processes import allow_files
from .programs import Demo, Redis, Userd, answers, message

USERS = 100_000
# A sync's connections, and the threads that close them, end after a minute.
SETTLED, MINUTE = 75, 60


def idle(bench):
    """Row 13: an idle minute of three processes at once: a userd that has synced, a paused one, and Redis."""
    demo, redis, paused = Demo(bench, USERS), Redis(bench), bench.cached(USERS)
    bench.fresh("idle")
    settings = {"users.url": demo.url, "users.pages": USERS // 5000, "facts.url": demo.facts, "facts.one_url": demo.facts}
    userd = Userd(bench, "idle", settings).ready()
    userd.sync(USERS)
    userd.call("Sync", resources=["facts"], wait=True)

    def synced():
        return [state["synced_at"] for state in userd.call("GetState")["states"] if state["phase"] == "loaded"]

    before = synced()
    userd.stop()
    # Without a pause it syncs at its start; the next sync is due tomorrow.
    userd = Userd(bench, "idle", settings, paused=False).ready()
    userd.until(lambda: len(set(synced()) - set(before)) == len(before))
    demo.stop()
    redis.until(redis.is_ready)
    time.sleep(SETTLED)

    processes = userd, paused, redis
    first = [process.switches() for process in processes]
    last = [dict(counts) for counts in first]
    # Read each second, since the counts of a thread end with it.
    for _ in range(MINUTE):
        time.sleep(1)
        for process, counts in zip(processes, last):
            counts |= process.switches()
    switches = [sum(after.values()) - sum(counts.values()) for after, counts in zip(last, first)]
    resident, anonymous = ([process.status(name) for process in processes] for name in ("VmRSS", "RssAnon"))
    for place, what in ((0, "idle, synced"), (1, "idle, paused, never synced")):
        for name, values, unit, limit in (
            ("context switches a minute", switches, "", 2 * MINUTE), ("resident memory", resident, "bytes", 64 * 2**20),
            ("of that anonymous", anonymous, "bytes", None),
        ):
            bench.figures.append(
                Figure("13", f"{what}: {name}", [values[place]], "Redis", [values[2]], unit, most=limit))
    for process in processes:
        process.stop()


def start(bench):
    """Row 14: from the start to the first answer, compared with an empty Redis."""
    database = bench.cache(USERS)[0]

    def seconds(make, is_ready):
        begin = time.monotonic()
        process = make()
        process.until(lambda: is_ready(process), every=0.0002)
        elapsed = time.monotonic() - begin
        process.stop()
        return elapsed

    ours, theirs = turns(
        bench.runs * 3,
        lambda: seconds(
            lambda: Userd(bench, "starting", {"database": database}),
            lambda userd: answers(userd.socket, message("GetState"))),
        lambda: seconds(lambda: Redis(bench), Redis.is_ready))
    bench.figures.append(Figure("14", "start to the first answer, 100,000 cached", ours, "Redis, empty", theirs))


def end(bench):
    """Row 16: from SIGTERM to the end, with a thousand watchers and a sync from an upstream that never answers."""
    allow_files(4096)

    def seconds():
        with socket.socket() as upstream, contextlib.ExitStack() as clients:
            upstream.bind(("127.0.0.1", 0))
            upstream.listen()
            url = f"http://127.0.0.1:{upstream.getsockname()[1]}/"
            userd = Userd(bench, "ending", {
                "database": bench.cache(USERS)[0], "users.url": url, "limits.connections": 1100}).ready()
            for call in [b'{"method":"io.userd.Watch","more":true}\0'] * 1000 + [
                    message("Sync", resources=["users"], wait=True)]:
                client = clients.enter_context(socket.socket(socket.AF_UNIX))
                client.connect(userd.socket)
                client.sendall(call)
                if b"Watch" in call:
                    client.recv(1)
            upstream.accept()
            begin = time.monotonic()
            userd.stop()
            return time.monotonic() - begin

    times = [seconds() for _ in range(bench.runs)]
    bench.figures.append(Figure("16", "SIGTERM to the end, 1,000 watches and a sync that hangs", times))


def after_kill(bench):
    """Row 17: from `kill -9` to the next answer, with userd's units as they are."""
    times = manager.after_kill(bench, bench.cache(USERS)[0])
    bench.figures.append(Figure("17", "kill -9 to the next answer, under systemd", times))
