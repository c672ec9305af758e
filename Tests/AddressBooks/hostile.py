#!/usr/bin/env python3
"""Hostile clients of an address book, and one that goes on to read it.

    hostile.py URL USER PASSWORD COUNT
"""
import base64
import http.client
import re
import socket
import sys
import threading
import time
import urllib.parse

URL, USER, PASSWORD, COUNT = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
AUTH = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
HEAD = f"REPORT {URL.path} HTTP/1.1\r\nHost: {URL.netloc}\r\nAuthorization: {AUTH}\r\n".encode()
failures = []


def ask(method, headers, body=None):
    """An ordinary request; returns status and body."""
    connection = http.client.HTTPConnection(URL.netloc, timeout=60)
    connection.request(method, URL.path, body, {"Authorization": AUTH, **headers})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def listed():
    status, text = ask("PROPFIND", {"Depth": "1"})
    return text.count(".vcf</href>") if status == 207 else -status


def expect(what, found, expected):
    if found != expected:
        failures.append(f"{what}: {found}, not {expected}")


def connect():
    return socket.create_connection((URL.hostname, URL.port), 60)


def status(connection):
    """The status of the answer; None if the connection was closed without one."""
    received = b""
    try:
        while b"\r\n" not in received and (chunk := connection.recv(4096)):
            received += chunk
    except OSError:
        pass
    return int(received.split()[1]) if received else None


def refused(what, body, expected):
    connection = connect()
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
    try:
        connection.sendall(body)
    except OSError:
        pass
    expect(what, status(connection), expected)


# Slow headers, more than there may be connections: each begins a request and waits.
slow = []
for number in range(100):
    connection = connect()
    try:
        connection.sendall(b"PROPFIND / HTTP/1.1\r\nX-Slow: ")
    except OSError:
        pass
    slow.append(connection)
    if number % 10 == 0:
        expect(f"the list after {number} slow connections", listed(), COUNT)

# Bodies without end.
endless = []
for _ in range(5):
    connection = connect()
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n<\r\n")
    endless.append(connection)
expect("the list beside endless bodies", listed(), COUNT)

MULTIGET = b'<c:addressbook-multiget xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><prop><getetag/></prop>'
refused("deep XML", b"<a>" * 100_000, 400)
refused("a document type", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 400)
refused("a long name", MULTIGET + b"<href>" + b"a" * 100_000 + b"</href>", 400)
refused("rubbish", bytes(range(256)) * 100, 400)
refused("more than 32 MiB", b" " * (33 << 20), 413)

nobody = b"".join(b"<href>%sbm9ib2R5LTEy%03d.vcf</href>" % (URL.path.encode(), number) for number in range(1000))
code, text = ask("REPORT", {}, MULTIGET + nobody + b"</c:addressbook-multiget>")
expect("1,000 hrefs to nobody", (code, text.count("404 Not Found")), (207, 1000))

# Those who ask and don't read, and those who leave in the middle of an answer.
everything = b'<c:addressbook-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav"><prop><c:address-data/></prop></c:addressbook-query>'
unread = []
for number in range(20):
    connection = connect()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(everything) + everything)
    if number % 2:
        connection.close()
    elif number < 12:
        unread.append(connection)
expect("the list beside unread answers", listed(), COUNT)

# Who reads slowly, on a connection that ends with the answer, gets all of it. The answers are larger than what the kernel
# keeps of them, by different sizes, since it takes more only once it has much room.
_, text = ask("PROPFIND", {"Depth": "1"})
HREFS = re.findall("<href>[^<]*[.]vcf</href>", text)


def slowly(cards):
    body = MULTIGET.replace(b"<getetag/>", b"<c:address-data/>")
    body += "".join((HREFS * (cards // COUNT + 1))[:cards]).encode() + b"</c:addressbook-multiget>"
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((URL.hostname, URL.port))
    connection.settimeout(60)
    connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    parts = []
    while part := connection.recv(8192):
        parts.append(part)
        time.sleep(0.003)
    whole = b"".join(parts)
    expect("the end of an answer that is read slowly", whole[-7:], b"\r\n0\r\n\r\n")
    expect("the cards in an answer that is read slowly", whole.count(b"BEGIN:VCARD"), cards)


def beside(*works):
    threads = [threading.Thread(target=work, args=arguments) for work, *arguments in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


beside(*[(slowly, 8_000 + 500 * number) for number in range(6)])


def reader():
    for _ in range(10):
        try:
            expect("a list beside others", listed(), COUNT)
        except (OSError, http.client.HTTPException) as error:
            failures.append(f"a list beside others: {error!r}")


beside(*[(reader,)] * 4)
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
