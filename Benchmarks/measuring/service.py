"""Rows 13, 14, 16 and 17: userd at rest, its start and its end."""

import contextlib
import socket
import time

from . import manager
from .figures import Figure, turns
from .processes import allow_files
from .programs import Redis, Userd, answers, message

USERS = 100_000
SETTLED, MINUTE = 20, 60


def idle(bench):
    """Row 13: a minute in which nothing is asked for, of both at once; userd has syncs that are due tomorrow."""
    userd, redis = Userd(bench, "idle", {"database": bench.cache(USERS)[0], "paused": "false"}), Redis(bench)
    userd.ready()
    redis.until(redis.is_ready)
    time.sleep(SETTLED)
    before = userd.switches(), redis.switches()
    time.sleep(MINUTE)
    switches = userd.switches() - before[0], redis.switches() - before[1]
    bench.figures += [
        Figure("13", "idle: context switches a minute", [switches[0]], "Redis", [switches[1]], "", most=6),
        Figure("13", "idle: resident memory", [userd.status("VmRSS")], "Redis", [redis.status("VmRSS")], "bytes",
               most=24 * 2**20),
        Figure("13", "of that, anonymous", [userd.status("RssAnon")], "Redis", [redis.status("RssAnon")], "bytes"),
    ]
    redis.stop()
    userd.stop()


def start(bench):
    """Row 14: from the start to the first answer, beside an empty Redis."""
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
    bench.figures.append(Figure("14", "start to the first answer, 100,000 cached", ours, "Redis, empty", theirs, times=3))


def end(bench):
    """Row 16: from SIGTERM to the end, with a thousand who watch and a sync of an upstream that never answers."""
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
    bench.figures.append(Figure("16", "SIGTERM to the end, 1,000 watches and a sync that hangs", times, most=2))


def after_kill(bench):
    """Row 17: from `kill -9` to the next answer, with userd's units as they are."""
    times = manager.after_kill(bench, bench.cache(USERS)[0])
    bench.figures.append(Figure("17", "kill -9 to the next answer, under systemd", times, most=0.3))
