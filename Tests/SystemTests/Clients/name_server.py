#!/usr/bin/env python3
"""name_server.py ZONE: answers DNS queries on 127.0.0.1:53 over UDP. ZONE is JSON: {"name": [[type, value], ...]}, where
type is MX (preference, host), SRV (priority, port, host) or CNAME (host)."""

import json
import socket
import struct
import sys

TYPES = {"CNAME": 5, "MX": 15, "SRV": 33}
zone = json.loads(sys.argv[1])


def name(text):
    return b"".join(bytes([len(part)]) + part.encode() for part in text.split(".")) + b"\0"


def data(kind, *values):
    if kind == "MX":
        return struct.pack("!H", values[0]) + name(values[1])
    if kind == "SRV":
        return struct.pack("!HHH", values[0], 0, values[1]) + name(values[2])
    return name(values[0])


server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
print("ready", flush=True)
while True:
    query, client = server.recvfrom(4096)
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    question, wanted = query[12:at + 5], struct.unpack("!H", query[at + 1:at + 3])[0]
    asked = ".".join(labels).lower()
    records = [data(*record) for record in zone.get(asked, []) if TYPES[record[0]] == wanted]
    # NXDOMAIN for names that the zone does not have.
    head = query[:2] + struct.pack("!HHHHH", 0x8180 | (0 if asked in zone else 3), 1, len(records), 0, 0)
    answers = b"".join(
        b"\xc0\x0c" + struct.pack("!HHIH", wanted, 1, 60, len(record)) + record for record in records)
    server.sendto(head + question + answers, client)
