"""Runs PyPI's scim2-server with users.

serve COUNT [CONFIG]: serves COUNT users on a free port of loopback, and prints the port. CONFIG is a file with the
    ServiceProviderConfig.
change PORT: changes one user, removes one, sets one inactive and adds one.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
MESSAGES = "urn:ietf:params:scim:api:messages:2.0:"


def call(port, method, path, body=None):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v2{path}",
        method=method,
        data=json.dumps(body).encode() if body else None,
        headers={"Content-Type": "application/scim+json", "Authorization": "Bearer scim-token"},
    )
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def user(number):
    return {
        "schemas": [USER, ENTERPRISE],
        "userName": f"user{number:05}",
        "name": {"givenName": f"Given{number}", "familyName": f"Family{number}"},
        "displayName": f"Given{number} F.",
        "title": "Engineer",
        "password": "Never-To-Be-Kept-1",
        "active": True,
        "emails": [
            {"value": f"home{number}@example.org", "type": "home"},
            {"value": f"user{number}@example.org", "type": "work", "primary": True},
        ],
        "phoneNumbers": [
            {"value": f"+4930{100000 + number}", "type": "work"},
            {"value": f"+49170{200000 + number}", "type": "mobile"},
        ],
        "addresses": [{"type": "work", "locality": "Berlin", "postalCode": "10115", "country": "DE"}],
        ENTERPRISE: {"department": f"Dept {number % 10}", "employeeNumber": str(number)},
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(count, config):
    port = free_port()
    arguments = ["--hostname", "127.0.0.1", "--port", str(port), "--bearer-token", "scim-token"]
    if config:
        arguments += ["--service-provider-config", config]
    program = os.path.join(os.path.dirname(sys.executable), "scim2-server")
    server = subprocess.Popen([program] + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while True:
            try:
                call(port, "GET", "/ServiceProviderConfig")
                break
            except (urllib.error.URLError, ConnectionError):
                assert server.poll() is None
                time.sleep(0.05)
        for start in range(0, count, 500):
            operations = [
                {"method": "POST", "path": "/Users", "bulkId": f"b{number}", "data": user(number)}
                for number in range(start, min(count, start + 500))
            ]
            body = {"schemas": [MESSAGES + "BulkRequest"], "Operations": operations}
            for operation in call(port, "POST", "/Bulk", body)["Operations"]:
                assert str(operation["status"]).startswith("2"), operation
        print(f"port {port}", flush=True)
        server.wait()
    finally:
        server.kill()


def change(port):
    def named(number):
        # Looked up by name: the server lists users by random ids.
        (found,) = call(port, "GET", f"/Users?filter=userName%20eq%20%22user{number:05}%22")["Resources"]
        return found

    def patch(record, path, value):
        operation = {"op": "replace", "path": path, "value": value}
        call(port, "PATCH", f"/Users/{record['id']}", {"schemas": [MESSAGES + "PatchOp"], "Operations": [operation]})

    patch(named(1), "title", "Chief")
    call(port, "DELETE", f"/Users/{named(2)['id']}")
    patch(named(3), "active", False)
    call(port, "POST", "/Users", user(99999))


if sys.argv[1] == "serve":
    serve(int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
else:
    change(int(sys.argv[2]))
