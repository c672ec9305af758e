"""What the client scripts share: arguments, the proxy, a scratch folder, facts."""
import argparse, atexit, os, re, shutil, subprocess, sys, tempfile, time
from urllib.parse import urlsplit
from proxy import Proxy, fetched, kinds


BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<servicedir>{dir}/services</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


def bus(folder):
    """The start of a command on a D-Bus session that knows the services in FOLDER/services alone: gnome-keyring
    is kept out (it may want a prompter), and so are kwalletd and kiod, which outlive the session."""
    os.makedirs(folder + "/services", exist_ok=True)
    with open(folder + "/bus.conf", "w") as f: f.write(BUS.format(dir=folder))
    return ["dbus-run-session", "--config-file", folder + "/bus.conf", "--"]


class Rig:
    def __init__(self, label, **extra):
        p = argparse.ArgumentParser()
        p.add_argument("url", help="base or book URL of the server, http")
        p.add_argument("user"); p.add_argument("password"); p.add_argument("count", type=int)
        p.add_argument("--name", default="Quackenbush", help="part of exactly one contact's name")
        p.add_argument("--email", default="user7@example.com", help="that contact's address")
        p.add_argument("--recipient", action="append", default=[], metavar="NAME|ADDRESS|PHONE",
                       help="a group or a room that one has to be able to write to; counted in COUNT")
        p.add_argument("--remove", help="shell command that removes one other contact on the server")
        p.add_argument("--add", help="shell command that adds one contact on the server, after --remove")
        p.add_argument("--change", help="shell command that changes one contact on the server")
        p.add_argument("--record", help="folder for the requests seen")
        p.add_argument("--label", default=label, help="name of the facts and of the recorded files")
        p.add_argument("--scratch", help="kept; else a temporary folder, removed")
        p.add_argument("--timeout", type=int, default=120, help="seconds to wait for a sync")
        p.add_argument("--quick", action="store_true", help="first and second sync only (measurements)")
        for k, v in extra.items(): p.add_argument("--" + k, **v)
        self.a = p.parse_args()
        self.label, self.facts, self.bad = self.a.label, [], []
        self.proxy = Proxy(self.a.url)
        self.path = urlsplit(self.a.url).path or "/"
        self.url = self.proxy.url + self.path
        if self.a.scratch: os.makedirs(self.a.scratch, exist_ok=True); self.dir = os.path.abspath(self.a.scratch)
        else:
            self.dir = tempfile.mkdtemp(prefix="carddav-%s-" % label)
            atexit.register(shutil.rmtree, self.dir, True)
        sys.excepthook = self.crashed

    def fact(self, name, value, ok=None):
        """ok: None = just told, else a check."""
        self.facts.append("%s=%s%s" % (name, value, "" if ok in (None, True) else "(!)"))
        if ok is not None and not ok: self.bad.append(name)
        return value

    def recipients(self, find):
        """find(name) lists what the client finds: the recipient that it writes to, and the telephone number."""
        digits = lambda text: re.sub(r"\D", "", text)
        for name, address, phone in (entry.split("|") for entry in self.a.recipient):
            found = find(name)
            ok = len(found) == 1 and name in found[0][0] and address in found[0][0] and digits(phone) == digits(found[0][1])
            self.fact("recipient", str(found).replace(" ", "_"), ok)

    def crashed(self, kind, error, trace):
        """An exception is a failed check, with the facts so far."""
        self.fact("stopped", ("%s at line %d: %s" % (kind.__name__, trace.tb_lineno, error))[:300].replace(" ", "_").replace("\n", "_"), False)
        print("FAIL %s %s" % (self.label, " ".join(self.facts)), flush=True)

    def remove_one(self):
        subprocess.run(self.a.remove, shell=True, check=True)

    def add_one(self):
        subprocess.run(self.a.add, shell=True, check=True)

    def change_one(self):
        subprocess.run(self.a.change, shell=True, check=True)

    def seen(self, mark):
        return str(kinds(self.proxy.since(mark))).replace("'", "").replace(" ", "")

    def done(self):
        if self.a.record: self.proxy.save(self.a.record, self.label)
        print("%s %s %s" % ("FAIL" if self.bad else "ok", self.label, " ".join(self.facts)), flush=True)
        sys.exit(1 if self.bad else 0)


def until(test, seconds, pause=0.2):
    """Waits till test() is true; returns its last value."""
    end = time.time() + seconds
    while True:
        value = test()
        if value or time.time() > end: return value
        time.sleep(pause)
