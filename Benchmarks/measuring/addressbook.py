"""Row 20: vdirsyncer reads an address book of 20,000 cards, compared with a quick server in Python that has them in memory."""

import os
import re
import socket
import subprocess
import sys

from .figures import Figure, turns
from .processes import Process, run
from .programs import Demo, Userd, free_port

USERS = 20_000
TESTS = os.path.join(os.path.dirname(__file__), "../../Tests/AddressBooks")
# Of `.ci/clients`.
PYTHON = os.path.join(os.path.dirname(__file__), "../../.build/clients/bin/python")
PASSWORD = "correct-horse-battery-staple"


def synced(port, password):
    """The seconds of vdirsyncer's first and second sync."""
    told = run([PYTHON, f"{TESTS}/client_vdirsyncer.py", f"http://127.0.0.1:{port}/dav/me/books/directory/", "userd", password,
                str(USERS), "--quick"])
    return [float(re.search(rf"\b{which}=([0-9.]+)s", told)[1]) for which in ("first", "second")]


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def vdirsyncer(bench):
    subprocess.run([os.path.join(os.path.dirname(__file__), "../../.ci/clients")], check=True, stdout=sys.stderr)
    port, other = free_port(), free_port()
    demo = Demo(bench, USERS)
    home = bench.fresh("book")
    os.makedirs(home + "/.config/userd", exist_ok=True)
    with open(home + "/.config/userd/carddav-password", "w") as file:
        file.write(PASSWORD)
    os.chmod(home + "/.config/userd/carddav-password", 0o600)
    userd = Userd(bench, "book", {"users.url": demo.url, "users.pages": "", "carddav.port": port}).ready()
    userd.sync(USERS)
    peer = Process([PYTHON, f"{TESTS}/memory_server.py", "--port", str(other), "--count", str(USERS)])
    peer.until(lambda: listens(other) and listens(port))
    ours, theirs = turns(bench.runs, lambda: synced(port, PASSWORD), lambda: synced(other, "secret"))
    for index, which in enumerate(("first", "second")):
        bench.figures.append(
            Figure("20", f"vdirsyncer, {which} sync of 20,000 cards", [times[index] for times in ours],
                   "a server in Python", [times[index] for times in theirs], times=1.2))
    peer.stop()
    userd.stop()
    demo.stop()
