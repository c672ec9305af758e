#!/usr/bin/env python3
"""A protected list of users: SCIM 2.0 with index paging, for access tokens that the provider calls active (RFC 7662).

    directory.py --provider P.json [--users 250]     prints one line of JSON, then serves

Answers 401 with WWW-Authenticate (RFC 6750) otherwise, 403 without the scope, 503 if the provider can't be asked.
GET /log is what was asked: [{path, status, why, token}], the token as the first 8 hex digits of its SHA-256.
"""
import argparse, base64, hashlib, http.server, json, os, signal, time, urllib.parse, urllib.request
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--provider", type=Path, required=True)
parser.add_argument("--users", type=int, default=250)
parser.add_argument("--delay", type=float, default=0, metavar="S", help="each page takes this long")
parser.add_argument("--trusting", action="store_true", help="takes any token, for a provider that tells nothing about them")
options = parser.parse_args()
provider = json.loads(options.provider.read_text())
web = urllib.request.build_opener(urllib.request.ProxyHandler({}))
log = []

USERS = [{
    "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": f"u{i:05}", "userName": f"user{i}", "active": True,
    "displayName": f"User {i}", "name": {"givenName": "User", "familyName": str(i)},
    "emails": [{"value": f"user{i}@example.org", "type": "work", "primary": True}]} for i in range(options.users)]


def introspect(token):
    if options.trusting:
        return {"active": True, "scope": provider["scope"]}
    secret = f"{provider['resource']['client_id']}:{provider['resource']['client_secret']}".encode()
    request = urllib.request.Request(
        provider["introspection_endpoint"], urllib.parse.urlencode({"token": token}).encode(),
        {"Authorization": "Basic " + base64.b64encode(secret).decode()})
    return json.load(web.open(request, timeout=10))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/log":
            return self.answer(200, log, "")
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return self.refuse(401, "no token", "")
        try:
            told = introspect(token)
        except OSError as error:
            return self.answer(503, {"detail": f"the provider can't be asked: {error}"}, "no provider", token)
        if not told.get("active"):
            return self.refuse(401, "inactive", ', error="invalid_token", error_description="The access token is not valid"', token)
        if provider["scope"].split()[-1] not in told.get("scope", "").split():
            return self.refuse(403, "scope", f', error="insufficient_scope", scope="{provider["scope"]}"', token)
        if url.path != "/scim/v2/Users":
            return self.answer(404, {"detail": "no such resource", "status": "404"}, "", token)
        time.sleep(options.delay)
        query = dict(urllib.parse.parse_qsl(url.query))
        start, count = max(int(query.get("startIndex", 1)), 1), min(int(query.get("count", 100)), 100)
        page = USERS[start - 1:start - 1 + count]
        self.answer(200, {"schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": len(USERS),
                          "startIndex": start, "itemsPerPage": len(page), "Resources": page}, "", token)

    def refuse(self, status, why, more, token=""):
        self.answer(status, {"detail": why, "status": str(status)}, why, token, f'Bearer realm="users"{more}')

    def answer(self, status, body, why, token="", challenge=None):
        if self.path != "/log":
            log.append({"path": self.path, "status": status, "why": why, "token": token and hashlib.sha256(token.encode()).hexdigest()[:8]})
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/scim+json")
        self.send_header("Content-Length", str(len(body)))
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
base = f"http://127.0.0.1:{server.server_port}"
print(json.dumps({"pid": os.getpid(), "port": server.server_port, "users": base + "/scim/v2/Users", "log": base + "/log"}), flush=True)
server.serve_forever()
