#!/usr/bin/env python3
"""A stranger who knows no password sends to an address book as much as it takes, in all ways in which bytes may pile up.

    flood.py URL PID

Prints for each way how much was sent, and by how much the server's resident memory grew meanwhile, both in MiB.
"""
import base64
import socket
import sys
import threading
import time
import urllib.parse

URL, STATUS = urllib.parse.urlsplit(sys.argv[1]), f"/proc/{int(sys.argv[2])}/status"
HOST = f"Host: {URL.netloc}\r\n".encode()
WRONG = b"Authorization: Basic " + base64.b64encode(b"a:wrong") + b"\r\n"
ASKED = b"OPTIONS / HTTP/1.1\r\n" + HOST
CHUNKED = b"PROPFIND / HTTP/1.1\r\n" + HOST + WRONG + b"Transfer-Encoding: chunked\r\n\r\n"
MIB = 1 << 20
# A way: how many connections at once, what is sent first, and what then again and again.
WAYS = {
    "after an upgrade": (1, ASKED + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", bytes(MIB)),
    "after an upgrade with a wrong password": (
        16, b"PROPFIND / HTTP/1.1\r\n" + HOST + WRONG + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", bytes(MIB)),
    "after CONNECT": (16, b"CONNECT " + URL.netloc.encode() + b" HTTP/1.1\r\n" + HOST + WRONG + b"\r\n", bytes(MIB)),
    "after HTTP/2's preface": (16, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", bytes(MIB)),
    "requests whose answers are not read": (16, b"", (ASKED + b"\r\n") * 10_000),
    "requests behind a wrong password": (
        16, b"PROPFIND / HTTP/1.1\r\n" + HOST + WRONG + b"\r\n", b"GET / HTTP/1.1\r\n\r\n" * 50_000),
    "a header": (16, ASKED + b"X: ", b"a" * MIB),
    "many headers": (16, ASKED, b"X: y\r\n" * 100_000),
    "empty lines": (16, b"", b"\r\n" * (MIB // 2)),
    "a chunk's extension": (16, CHUNKED + b"1;", b"a" * MIB),
    "small chunks": (16, CHUNKED, b"1\r\na\r\n" * 100_000),
    "a trailer": (16, CHUNKED + b"0\r\nX: ", b"a" * MIB),
    "many trailers": (16, CHUNKED + b"0\r\n", b"X: y\r\n" * 100_000),
}


def resident():
    with open(STATUS) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


def send(first, then, most, sent):
    """Until the server closes the connection, or reads no more."""
    try:
        with socket.create_connection((URL.hostname, URL.port), 0.5) as peer:
            peer.sendall(first)
            for _ in range(most * MIB // len(then)):
                peer.sendall(then)
                sent.append(len(then) / MIB)
    except OSError:
        pass


def measured(work):
    """What a piece of work adds to the server's memory at most."""
    before, ended = resident(), threading.Event()
    most = [before]

    def watch():
        while not ended.wait(0.005):
            most.append(resident())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        work()
    finally:
        ended.set()
        watching.join()
    return max(most[0], *most, resident()) - before


def beside(count, work, *arguments):
    threads = [threading.Thread(target=work, args=arguments) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def crowd(sent):
    """Connections that displace each other, each with a wrong password and more requests than are read at once."""
    peers = []
    for _ in range(500):
        try:
            peer = socket.create_connection((URL.hostname, URL.port), 0.5)
            peers.append(peer)
            peer.send(b"PROPFIND / HTTP/1.1\r\n" + HOST + WRONG + b"\r\n" + b"GET / HTTP/1.1\r\n\r\n" * 3000)
            sent.append(3000 * 18 / MIB)
        except OSError:
            pass
    for peer in peers:
        peer.close()


def told(way, growth, sent):
    print(f"{growth:.0f} {sum(sent):.0f} {way}", flush=True)


for way, (count, first, then) in WAYS.items():
    sent = []
    growth = measured(lambda: beside(count, send, first, then, 320 if count == 1 else 12, sent))
    told(way, growth, sent)
sent = []
growth = measured(lambda: beside(4, crowd, sent))
told("connections that displace each other", growth, sent)
