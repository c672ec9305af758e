#!/usr/bin/env python3
"""vdirsyncer and khard, from the environment of the Python that runs this."""
import glob, os, re, subprocess, sys, time
from rig import Rig, fetched

r = Rig("vdirsyncer")
BIN, T = os.path.dirname(sys.executable), r.dir
put = lambda name, text: open(os.path.join(T, name), "w").write(text)
put("password", r.a.password)


def config(read_only):
    put("config", """[general]
status_path = "{T}/status/"
[pair p]
a = "r"
b = "l"
collections = ["from a"]
metadata = ["displayname"]
conflict_resolution = "a wins"
[storage r]
type = "carddav"
url = "{url}"
username = "{user}"
password.fetch = ["command", "cat", "{T}/password"]
{ro}
[storage l]
type = "filesystem"
path = "{T}/cards/"
fileext = ".vcf"
""".format(T=T, url=r.url, user=r.a.user, ro="read_only = true" if read_only else ""))


def vdirsyncer(*args):
    p = subprocess.run([os.path.join(BIN, "vdirsyncer"), "-c", os.path.join(T, "config"), *args],
                       input="y\n" * 50, capture_output=True, text=True, timeout=3600)
    put("log-%d" % time.time_ns(), p.stdout + p.stderr)
    return p


def sync():
    mark, t = r.proxy.mark(), time.time()
    p = vdirsyncer("sync")
    return p, r.proxy.since(mark), time.time() - t, r.seen(mark)


cards = lambda: sorted(glob.glob(T + "/cards/*/*.vcf"))
config(True)
p = vdirsyncer("discover")
r.fact("discover", p.returncode, p.returncode == 0 and len(glob.glob(T + "/cards/*")) == 1)
r.fact("discover_requests", r.seen(0))
p, _, t, seen = sync()
r.fact("sync", p.returncode, p.returncode == 0); r.fact("cards", len(cards()), len(cards()) == r.a.count)
r.fact("first", "%.1fs" % t); r.fact("first_requests", seen)
r.fact("warnings", len(re.findall("warning", p.stdout + p.stderr, re.I)), "warning" not in p.stderr.lower())
p, log, t, seen = sync()
r.fact("again_fetched", fetched(log), fetched(log) == 0); r.fact("second", "%.1fs" % t); r.fact("second_requests", seen)
if r.a.quick: r.done()

vdirsyncer("metasync")                            # `sync` alone leaves the name out
name = glob.glob(T + "/cards/*/displayname")
r.fact("displayname", open(name[0]).read().strip() if name else None, bool(name))

# khard
put("khard.conf", "[addressbooks]\n[[book]]\npath = %s\n" % os.path.dirname(cards()[0]))
env = dict(os.environ, LC_ALL="C.UTF-8", LANG="C.UTF-8")

def khard(*args):
    return subprocess.run([os.path.join(BIN, "khard"), "-c", T + "/khard.conf", *args], capture_output=True, text=True, env=env).stdout

t = time.time()
found = khard("email", "--parsable", r.a.name)
r.fact("khard", found.strip().split("\n")[-1].replace("\t", "|").replace(" ", "_"), r.a.email in found)
r.fact("khard_took", "%.1fs" % (time.time() - t))
r.recipients(lambda name: [[line, khard("phone", "--parsable", name).split("\t")[0]]
                           for line in khard("email", "--parsable", "--remove-first-line", name).splitlines()])

def edit():
    path = cards()[0]; text = open(path, newline="").read()
    open(path, "w", newline="").write(text.replace("FN:", "FN:EDITED "))
    return path

edited = lambda path: "EDITED" in open(path, newline="").read()
writes = lambda log: [e["status"] for e in log if e["method"] in ("PUT", "DELETE")]

# read_only: a local edit or removal is noted by one sync and put back by the next, without a write
for what, act in (("edit", edit), ("removal", lambda: os.unlink(cards()[0]))):
    victim = cards()[0]; act()
    p1, log1, _, _ = sync(); p2, log2, _, _ = sync()
    back = os.path.exists(victim) and not edited(victim)
    r.fact("local_%s_reverted" % what, back, back and p1.returncode == p2.returncode == 0)
    r.fact("local_%s_writes" % what, writes(log1 + log2), writes(log1 + log2) == [])
    r.fact("local_%s_fetched" % what, fetched(log1 + log2), fetched(log1 + log2) == 1)

# without read_only the server has to refuse
config(False); vdirsyncer("discover")
victim = edit(); p, log, t, seen = sync()
r.fact("put_answered", writes(log), writes(log) == [403]); r.fact("put_sync_exit", p.returncode, p.returncode == 1)
victim2 = cards()[-1]; os.unlink(victim2); p, log, t, seen = sync()
r.fact("delete_answered", writes(log), writes(log) and set(writes(log)) == {403})
config(True); vdirsyncer("discover"); sync(); sync()
r.fact("healed", len(cards()), len(cards()) == r.a.count and not edited(victim))

if r.a.change:
    r.change_one(); p, log, t, seen = sync()
    r.fact("change_fetched", fetched(log), fetched(log) == 1 and p.returncode == 0)
if r.a.remove:
    r.remove_one(); p, log, t, seen = sync()
    r.fact("after_removal", len(cards()), len(cards()) == r.a.count - 1 and fetched(log) == 0)
if r.a.add:
    r.add_one(); p, log, t, seen = sync()
    r.fact("after_addition", len(cards()), len(cards()) == r.a.count and fetched(log) == 1)
r.done()
