"""Rows 20 and 21: vdirsyncer reads an address book of 20,000 cards, compared with a quick server in Python that has them in
memory; and userd at rest with that book."""

import base64
import http.client
import os
import re
import socket
import subprocess
import sys
import time

from .figures import Figure, turns
from .processes import Process, run
from .programs import Demo, Userd, free_port
from .service import MINUTE, SETTLED

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


def book(bench, name):
    """A userd with a book, which has synced."""
    port, demo = free_port(), Demo(bench, USERS)
    home = bench.fresh(name)
    os.makedirs(home + "/.config/userd", exist_ok=True)
    with open(home + "/.config/userd/carddav-password", "w") as file:
        file.write(PASSWORD)
    os.chmod(home + "/.config/userd/carddav-password", 0o600)
    userd = Userd(bench, name, {"users.url": demo.url, "users.pages": "", "carddav.port": port}).ready()
    userd.sync(USERS)
    userd.until(lambda: listens(port))
    return userd, demo, port


def idle(bench):
    """Row 21: an idle minute of a userd whose book a mail client has read, with the client's connection open."""
    userd, demo, port = book(bench, "idle-book")
    demo.stop()
    token = base64.b64encode(f"a:{PASSWORD}".encode()).decode()
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("PROPFIND", "/dav/me/books/directory/", headers={"Depth": "1", "Authorization": f"Basic {token}"})
    client.getresponse().read()
    time.sleep(SETTLED)
    first = userd.switches()
    last = dict(first)
    # Read each second, since the counts of a thread end with it.
    for _ in range(MINUTE):
        time.sleep(1)
        last |= userd.switches()
    count = sum(last.values()) - sum(first.values())
    bench.figures.append(
        Figure("21", "idle, with an address book: context switches a minute", [count], unit="", most=2 * MINUTE))
    userd.stop()


def vdirsyncer(bench):
    subprocess.run([os.path.join(os.path.dirname(__file__), "../../.ci/clients")], check=True, stdout=sys.stderr)
    other = free_port()
    userd, demo, port = book(bench, "book")
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
