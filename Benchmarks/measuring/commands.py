"""Rows 12 and 15: userctl, from its start to its end."""

import json
import os
import shlex

from .figures import Figure, turns
from .processes import cost_of, run
from .programs import Demo, Userd, environment

USERS = 100_000


def hyperfine(bench, command, runs, userd):
    """The median seconds of a command, which must succeed. Its output is discarded."""
    results = bench.work + "/hyperfine.json"
    run(["hyperfine", "--shell=none", "--style=none", "--warmup", "1" if runs > 1 else "0", "--runs", str(runs),
         "--export-json", results, shlex.join(command)],
        env=environment(bench.work) | {"USERD_SOCKET": userd.socket}, stderr=open(os.devnull, "w"))
    with open(results) as file:
        return json.load(file)["results"][0]["median"]


def dumps(bench):
    """Row 12: all users in each format, compared with sqlite3."""
    peer = ["sqlite3", "-json", bench.table(USERS), "SELECT record FROM users ORDER BY name_key"]
    userd = bench.cached(USERS)
    for form, times in (("json", 1), ("csv", 2.5), ("table", 3), ("vcard", 4)):
        command = [bench.userctl, "list", "--all", "--output", form]
        ours, theirs = turns(
            bench.runs, lambda: hyperfine(bench, command, 1, userd), lambda: hyperfine(bench, peer, 1, userd))
        bench.figures.append(Figure("12", f"dump of 100,000: {form}", ours, "sqlite3 -json", theirs, times=times))
        if form == "csv":
            socket = environment(bench.work) | {"USERD_SOCKET": userd.socket}
            ours, theirs = turns(
                1, lambda: cost_of(command, env=socket).memory, lambda: cost_of(peer, env=socket).memory)
            bench.figures.append(Figure("12", "peak memory of that", ours, "sqlite3 -json", theirs, "bytes"))
    userd.stop()


def short(bench):
    """Row 15: everyday commands with 20 users, compared with systemd's."""
    demo = Demo(bench, 20)
    bench.fresh("twenty")
    userd = Userd(bench, "twenty", {"users.url": demo.url, "users.page_size": 20}).ready()
    userd.sync(20)
    key = userd.call("ListUsers", limit=1)["users"][0]["email"]
    for arguments in (["list", "--limit", "20"], ["search", "a", "--output", "mutt"], ["status"], ["show", key]):
        ours, theirs = turns(
            bench.runs, lambda: hyperfine(bench, [bench.userctl, *arguments], 20, userd),
            lambda: hyperfine(bench, ["userdbctl", "user"], 20, userd))
        bench.figures.append(
            Figure("15", f"userctl {arguments[0]}, 20 users", ours, "userdbctl user", theirs, times=2))
    userd.stop()
    demo.stop()
