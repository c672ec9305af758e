#!/usr/bin/env python3
"""neomutt, aerc and Emacs with the blocks of Scripts.md, each in a terminal of tmux. userctl is the one in PATH."""
import os, re, subprocess
from rig import Rig, until

r = Rig("recipes")
T = r.dir
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
article = open(os.path.join(ROOT, "Sources/Daemon/userd/userd.docc/Scripts.md"), encoding="utf-8").read()
blocks = re.findall(r"^```\w*\n(.*?)^```", article, re.M | re.S)
MAILBOX = "Zebediah %s <%s>" % (r.a.name, r.a.email)
QUOTED = '"Zebediah %s" <%s>' % (r.a.name, r.a.email)  # aerc's own


def put(name, text, mode=0o600):
    path = os.path.join(T, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file: file.write(text)
    os.chmod(path, mode)
    return path


def block(words): return next(b for b in blocks if words in b)


def program(command, steps):
    """Starts a program; each step is what must be on the screen, then the keys to press. True if all came."""
    environment = ["%s=%s" % item for item in
                   {"HOME": T, "XDG_CONFIG_HOME": T + "/config", "LANG": "C.UTF-8", "EDITOR": T + "/editor", "TERM": "screen"}.items()]

    def tmux(*words):
        # A server of its own: the last one may not have ended yet.
        call = ["tmux", "-S", "%s/tmux-%s" % (T, command[0]), "-f", "/dev/null", *words]
        return subprocess.run(call, capture_output=True, text=True).stdout

    # HOME is the program's own: userctl finds userd by XDG_RUNTIME_DIR.
    tmux("new-session", "-d", "-x", "120", "-y", "24", "env", *environment, *command)
    try:
        for words, *keys in steps:
            if not until(lambda: words in tmux("capture-pane", "-p"), 30):
                print(tmux("capture-pane", "-p"), flush=True)
                return False
            for key in keys: tmux("send-keys", *key)
        return True
    finally:
        tmux("kill-server")


# The editor gets a file, which sleep does not take.
put("editor", "#!/bin/sh\nexec sleep 600\n", 0o700)
put("mbox", "")
put("muttrc", block("set query_command") + "set folder=%s\nset spoolfile=%s/mbox\n" % (T, T))
found = program(["neomutt", "-n", "-F", T + "/muttrc"], [("mbox", ["Q"]), ("Query:", ["-l", "zebed"], ["Enter"]), (r.a.email,)])
r.fact("neomutt", "found" if found else "nothing", found)

for folder in "cur", "new", "tmp": os.makedirs("%s/Mail/INBOX/%s" % (T, folder))
put("config/aerc/accounts.conf", "[me]\nsource = maildir://%s/Mail\ndefault = INBOX\nfrom = Me <me@example.org>\noutgoing = /bin/true\n" % T)
put("config/aerc/aerc.conf", block("address-book-cmd"))
chosen = program(["aerc"], [("INBOX", ["-l", ":compose"], ["Enter"]), ("To:", ["-l", "zebed"]), (QUOTED, ["Tab"], ["Enter"]),
                            ("To: " + QUOTED,)])
r.fact("aerc", "chosen" if chosen else "nothing", chosen)

put("userd.el", block("userd-recipient"))
inserted = program(["emacs", "-nw", "-Q", "-l", T + "/userd.el", "-f", "message-mail"],
                   [("To:", ["C-c", "u"]), ("Colleague:", ["-l", r.a.name.lower()], ["Tab"]), (MAILBOX, ["Enter"]), ("To: " + MAILBOX,)])
r.fact("emacs", "inserted" if inserted else "nothing", inserted)
r.done()
