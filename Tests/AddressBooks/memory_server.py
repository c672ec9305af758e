#!/usr/bin/env python3
"""A CardDAV server of generated cards from memory: what others are measured beside.

    memory_server.py --port 5240 --count 300
"""
import argparse, base64, hashlib, http.server
import xml.etree.ElementTree as ET
from base64 import b64encode
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

FIRST = "Anna Björn Chloé Dörte Émile Friederike Günther Håkon İpek Jürgen Käthe Łukasz Máire Nuño Özlem Petra".split()
LAST = "Müller Bradley Ångström Größe Žižek O'Neill Fernández Kowalski Schröder Dvořák Nguyễn Smith Jørgensen".split()


def fold(line):
    out, line = [], line.encode()
    while len(line) > 74:
        cut = 74
        while line[cut] & 0xC0 == 0x80: cut -= 1
        out.append(line[:cut]); line = b" " + line[cut:]
    return b"\r\n".join(out + [line])


def card(n):
    first, last = FIRST[n % len(FIRST)], LAST[n % len(LAST)]
    if n == 7: first, last = "Zebediah", "Quackenbush"           # the one that the clients look for
    lines = ["BEGIN:VCARD", "VERSION:3.0", "PRODID:-//userd//rig//EN", "UID:user-%06d" % n,
             "FN:%s %s %d" % (first, last, n), "N:%s %d;%s;;;" % (last, n, first),
             "EMAIL;TYPE=INTERNET,WORK:user%d@example.com" % n, "TEL;TYPE=WORK,VOICE:+49 30 555 %05d" % n,
             "ORG:Beispiel GmbH;Abteilung Ü%d" % (n % 12), "TITLE:Ingenieur\\, Straßenbau",
             "CATEGORIES:Abteilung Ü%d" % (n % 12), "ADR;TYPE=WORK:;;Lange Straße %d;Köln;;50667;Deutschland" % n]
    return b"\r\n".join(map(fold, lines + ["END:VCARD", ""]))


def name(n):
    return base64.urlsafe_b64encode(b"user-%06d" % n).decode().rstrip("=") + ".vcf"


p = argparse.ArgumentParser()
p.add_argument("--port", type=int, default=5240); p.add_argument("--count", type=int, default=300)
a = p.parse_args()
D, C, CS = "DAV:", "urn:ietf:params:xml:ns:carddav", "http://calendarserver.org/ns/"
PREFIX = {D: "d", C: "c", CS: "cs"}
BOOK, HOME, ME = "/dav/me/books/directory/", "/dav/me/books/", "/dav/me/"
AUTH = "Basic " + b64encode(b"userd:secret").decode()


class Cards:
    cards = {name(n): card(n).decode() for n in range(a.count)}
    etags = {k: '"%s"' % hashlib.sha256(v.encode()).hexdigest()[:16] for k, v in cards.items()}


cards = Cards()


def props(path):
    """The properties of a resource: {(namespace, name): inner XML}."""
    out = {(D, "current-user-principal"): "<d:href>%s</d:href>" % ME}
    if path in ("/", "/dav/"): out[D, "resourcetype"] = "<d:collection/>"
    elif path == ME:
        out.update({(D, "resourcetype"): "<d:collection/><d:principal/>", (D, "displayname"): "userd",
                    (D, "principal-URL"): "<d:href>%s</d:href>" % ME, (C, "addressbook-home-set"): "<d:href>%s</d:href>" % HOME})
    elif path == HOME: out.update({(D, "resourcetype"): "<d:collection/>", (D, "displayname"): "Books"})
    elif path == BOOK:
        reports = ["<c:addressbook-multiget/>", "<c:addressbook-query/>"]
        out.update({(D, "resourcetype"): "<d:collection/><c:addressbook/>", (D, "displayname"): "Company",
                    (CS, "getctag"): "rig:0",
                    (C, "supported-address-data"): '<c:address-data-type content-type="text/vcard" version="3.0"/>',
                    (D, "supported-report-set"): "".join("<d:supported-report><d:report>%s</d:report></d:supported-report>" % x for x in reports)})
    elif path.startswith(BOOK) and path[len(BOOK):] in cards.etags:
        out = {(D, "resourcetype"): "", (D, "getetag"): cards.etags[path[len(BOOK):]], (D, "getcontenttype"): "text/vcard; charset=utf-8"}
    else: return None
    if path in (HOME, BOOK):
        out[D, "current-user-privilege-set"] = "<d:privilege><d:read/></d:privilege>"
    return out


def response(path, wanted):
    have = props(path)
    if have is None: return "<d:response><d:href>%s</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>" % path
    show = dict(have) if wanted is None else {k: have[k] for k in wanted if k in have}
    priv = (D, "current-user-privilege-set")                   # unasked too, for KDE
    if priv in have: show[priv] = have[priv]
    el = lambda k, v: "<%s:%s>%s</%s:%s>" % (PREFIX[k[0]], k[1], v, PREFIX[k[0]], k[1])
    missing = [k for k in wanted or [] if k not in have]
    unknown = "".join('<x:%s xmlns:x="%s"/>' % (k[1], escape(k[0])) for k in missing)
    ok = "<d:propstat><d:prop>%s</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>" % (
        "".join(el(k, v) for k, v in show.items()))
    bad = "<d:propstat><d:prop>%s</d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>" % unknown if missing else ""
    return "<d:response><d:href>%s</d:href>%s</d:response>" % (path, ok + bad)


def data(k):
    return escape(cards.cards[k]).replace("\r", "&#13;")


def member(k, with_data=True):
    return "<d:response><d:href>%s%s</d:href><d:propstat><d:prop><d:getetag>%s</d:getetag>%s</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>" % (
        BOOK, k, cards.etags[k], "<c:address-data>%s</c:address-data>" % data(k) if with_data else "")


def status404(path):
    return "<d:response><d:href>%s</d:href><d:status>HTTP/1.1 404 Not Found</d:status></d:response>" % path


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", 1 << 16, True
    def log_message(self, *args): pass

    def handle_expect_100(self):
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n"); self.wfile.flush(); return True

    def answer(self, status, body="", **headers):
        body = body.encode()
        self.send_response_only(status)
        headers.update(X_Content_Type_Options="nosniff", Cross_Origin_Resource_Policy="same-origin", Cache_Control="no-store")
        for k, v in headers.items(): self.send_header(k.replace("_", "-"), v)
        self.send_header("Content-Length", str(len(body))); self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
        self.wfile.flush()

    def multi(self, parts, tail=""):
        self.answer(207, '<?xml version="1.0" encoding="utf-8"?><d:multistatus xmlns:d="DAV:" xmlns:c="%s" xmlns:cs="%s">%s%s</d:multistatus>' % (
            C, CS, "".join(parts), tail), Content_Type="application/xml; charset=utf-8")

    def error(self, status, inner):
        self.answer(status, '<?xml version="1.0" encoding="utf-8"?><d:error xmlns:d="DAV:" xmlns:c="%s">%s</d:error>' % (C, inner), Content_Type="application/xml; charset=utf-8")

    def handle_any(self):
        body = b""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while n := int(self.rfile.readline(), 16): body += self.rfile.read(n); self.rfile.readline()
            self.rfile.readline()
        else: body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        own = "127.0.0.1:%d" % a.port, "localhost:%d" % a.port
        if self.headers.get("Host") not in own: return self.answer(403)
        if self.headers.get("Origin", "http://" + own[0]) not in ["http://" + o for o in own]: return self.answer(403)
        if self.headers.get("Sec-Fetch-Site") == "cross-site": return self.answer(403)
        if self.path == "/.well-known/carddav": return self.answer(301, Location="/dav/")
        if self.command == "OPTIONS":
            return self.answer(200, DAV="1, 3, access-control, addressbook", Allow="OPTIONS, GET, HEAD, PROPFIND, REPORT")
        if self.headers.get("Authorization") != AUTH:
            return self.answer(401, WWW_Authenticate='Basic realm="userd"')
        if self.command in ("PROPFIND", "REPORT"):
            if b"<!DOCTYPE" in body: return self.answer(400)
            try: x = ET.fromstring(body) if body.strip() else None
            except ET.ParseError: return self.answer(400)
            if self.command == "PROPFIND" and x is not None and x.tag != "{DAV:}propfind": return self.answer(400)
            return self.propfind(x) if self.command == "PROPFIND" else self.report(x)
        if self.command in ("GET", "HEAD"):
            k = self.path[len(BOOK):] if self.path.startswith(BOOK) else ""
            if k not in cards.cards: return self.answer(404)
            if self.headers.get("If-None-Match") == cards.etags[k]: return self.answer(304, ETag=cards.etags[k])
            return self.answer(200, cards.cards[k], ETag=cards.etags[k], Content_Type="text/vcard; charset=utf-8")
        self.error(403, "<d:need-privileges/>")

    def propfind(self, x):
        depth = self.headers.get("Depth", "infinity")
        if depth not in ("0", "1"): return self.error(403, "<d:propfind-finite-depth/>")
        if props(self.path) is None: return self.answer(404)
        prop = None if x is None else x.find("{DAV:}prop")
        wanted = None if prop is None else [tuple(e.tag[1:].split("}")) if e.tag[0] == "{" else ("", e.tag) for e in prop]
        paths = [self.path]
        if depth == "1":
            if self.path == HOME: paths.append(BOOK)
            if self.path == BOOK: paths += [BOOK + k for k in cards.cards]
        self.multi(response(q, wanted) for q in paths)

    def report(self, x):
        if self.path != BOOK: return self.error(403, "<d:supported-report/>")
        kind = x.tag.split("}")[1]
        if kind == "addressbook-multiget":
            out = []
            for h in (x.findall("{DAV:}href")):
                path = urlsplit(h.text.strip()).path           # KDE sends whole URLs
                k = path[len(BOOK):] if path.startswith(BOOK) else ""
                out.append(member(k) if k in cards.cards else status404(escape(path)))
            return self.multi(out)
        if kind == "addressbook-query":                         # enough for the rig: text-match contains, anyof
            words = [t.text.lower() for t in x.iter("{%s}text-match" % C) if t.text]
            limit = x.find(".//{%s}nresults" % C); limit = int(limit.text) if limit is not None else 1 << 30
            with_data = x.find("{DAV:}prop/{%s}address-data" % C) is not None
            hits = [k for k, v in cards.cards.items() if not words or any(w in v.lower() for w in words)]
            tail = "" if len(hits) <= limit else "<d:response><d:href>%s</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status><d:error><d:number-of-matches-within-limits/></d:error></d:response>" % BOOK
            return self.multi((member(k, with_data) for k in hits[:limit]), tail)
        return self.error(403, "<d:supported-report/>")

    def __getattr__(self, n):
        if n.startswith("do_"): return self.handle_any
        raise AttributeError(n)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64
    def handle_error(self, *args): pass


print("base http://127.0.0.1:%d/ book http://127.0.0.1:%d%s user userd password secret" % (a.port, a.port, BOOK), flush=True)
Server(("127.0.0.1", a.port), Handler).serve_forever()
