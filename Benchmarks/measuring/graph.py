"""A stand-in for Microsoft Graph: a list of users in pages, and what has changed in it."""

import http.server
import json
import threading
import time
import urllib.parse

PAGE = 999


def person(number, last):
    return {
        "id": f"00000000-0000-4000-8000-{number:012}", "userPrincipalName": f"u{number}@corp.example",
        "givenName": f"Ada{number % 997}", "surname": last, "displayName": f"Ada{number % 997} {last}",
        "mail": f"u{number}@corp.example", "otherMails": [], "businessPhones": [f"+1 201 555 {number % 10000:04}"],
        "mobilePhone": None, "jobTitle": "Engineer", "department": f"D{number % 50}", "companyName": "Corp",
        "employeeId": str(number), "officeLocation": "12", "createdDateTime": "2020-01-01T00:00:00Z",
        "streetAddress": None, "city": "Paris", "state": None, "postalCode": None, "country": "FR",
        "accountEnabled": True, "showInAddressList": None}


class Graph:
    """Serves the list, and notes time, kind and bytes of each answer."""

    def __init__(self, count):
        self.people = [person(number, f"Lovelace{number % 4999}") for number in range(count)]
        self.changes, self.answers, self.pages = [], [], {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1.0/users"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def change(self, number):
        changed = person(number, f"Byron{len(self.changes)}")
        self.people[number] = changed
        self.changes.append(changed)
        self.pages.pop(number // PAGE * PAGE, None)

    def answer(self, path, query):
        """The kind of a request, and the answer's body."""
        if path.endswith("/delta"):
            token = query["$deltatoken"][0]
            end = len(self.changes)
            start = end if token == "latest" else int(token)
            link = f"{self.url}/delta?$deltatoken={end}"
            return "changes", json.dumps({"@odata.deltaLink": link, "value": self.changes[start:end]}).encode()
        start = int(query.get("$skiptoken", ["0"])[0])
        if start not in self.pages:
            page = {"value": self.people[start:start + PAGE]}
            if start + PAGE < len(self.people):
                page["@odata.nextLink"] = f"{self.url}?$top={PAGE}&$skiptoken={start + PAGE}"
            self.pages[start] = json.dumps(page).encode()
        return "list", self.pages[start]


def handler(graph):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            parts = urllib.parse.urlsplit(self.path)
            kind, body = graph.answer(parts.path, urllib.parse.parse_qs(parts.query))
            graph.answers.append((time.time(), kind, len(body)))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler
