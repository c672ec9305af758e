#!/usr/bin/env python3
"""A second real provider, to see that userd does not depend on the first: Debian's glewlwyd, unprivileged.

    glewlwyd.py --root .build/glewlwyd --access 3      prints one line of JSON as provider.py does

Its pages are JavaScript; approve.py sends what they send.
"""
import argparse, glob, gzip, json, os, shutil, signal, socket, sqlite3, subprocess, sys, tempfile, time, urllib.error, urllib.request
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
add = parser.add_argument
add("--root", type=Path, required=True, help="where its package is unpacked")
add("--access", type=int, default=3600, metavar="S")
options = parser.parse_args()

usr, state = options.root.resolve() / "usr", Path(tempfile.mkdtemp(prefix="glewlwyd-"))
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
base = f"http://127.0.0.1:{port}"
modules = "\n".join(f'{kind}_module_path="{usr}/lib/glewlwyd/{folder}"' for kind, folder in {
    "user": "user", "client": "client", "user_auth_scheme": "scheme", "plugin": "plugin", "user_middleware": "user_middleware"}.items())
(state / "glewlwyd.conf").write_text(f"""
port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
static_files_path="{usr}/share/glewlwyd/webapp/"
log_mode="console"
log_level="ERROR"
cookie_domain="127.0.0.1"
cookie_secure=0
session_expiration=3600
session_key="S"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
admin_scope="g_admin"
profile_scope="g_profile"
{modules}
hash_algorithm="SHA512"
database={{ type="sqlite3" path="{state}/db.sqlite3" }};
""")
with sqlite3.connect(state / "db.sqlite3") as database:
    database.executescript(gzip.open(usr / "share/doc/glewlwyd/database/init.sqlite3.sql.gz", "rt").read())

libraries = ":".join(glob.glob(str(usr / "lib/*-linux-gnu")))
# It ends with this program, also if that is killed.
server = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", usr / "bin/glewlwyd", "--config-file", state / "glewlwyd.conf"], env={**os.environ, "LD_LIBRARY_PATH": libraries},
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stop(*_):
    os.kill(server.pid, signal.SIGKILL)  # no wait(): the main program may be in one, and holds its lock
    shutil.rmtree(state, ignore_errors=True)
    os._exit(0)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
cookie = None


def api(path, body, method="POST"):
    global cookie
    request = urllib.request.Request(base + "/api/" + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    if cookie:
        request.add_header("Cookie", cookie)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
            cookie = cookie or response.headers.get("Set-Cookie", "").split(";")[0]
    except urllib.error.HTTPError as error:
        print(f"{path}: {error.code} {error.read().decode()}", file=sys.stderr)
        stop()


for _ in range(200):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        break
    except OSError:
        time.sleep(0.05)
PERSON, RESOURCE = {"username": "ann", "password": "correct horse"}, {"client_id": "resource", "client_secret": "resource-secret"}
api("auth/", {"username": "admin", "password": "password"})
api("scope/", {"name": "users.read", "display_name": "Read the directory", "password_required": True, "password_max_age": 0, "scheme": {}})
api("user/", {**PERSON, "name": "Ann", "email": "", "scope": ["openid", "users.read"], "enabled": True})
redirects = [f"http://127.0.0.1:{p}/callback" for p in (18910, 18911)]  # it compares whole addresses, with their ports
api("client/", {"client_id": "native", "name": "userd", "confidential": False, "redirect_uri": redirects, "scope": [],
                "authorization_type": ["code", "refresh_token"], "token_endpoint_auth_method": ["none"], "enabled": True})
api("client/", {**RESOURCE, "name": "resource", "confidential": True, "scope": ["users.read"], "authorization_type": ["client_credentials"],
                "token_endpoint_auth_method": ["client_secret_basic"], "enabled": True})
api("mod/plugin/", {"module": "oidc", "name": "oidc", "display_name": "oidc", "enabled": True, "parameters": {
    "iss": base, "jwt-type": "sha", "jwt-key-size": "256", "key": "secret", "allow-non-oidc": True,
    "access-token-duration": options.access, "refresh-token-duration": 1209600, "code-duration": 60,
    "refresh-token-rolling": True, "refresh-token-one-use": "always",
    "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": False,
    "auth-type-implicit-enabled": False, "auth-type-password-enabled": False, "auth-type-client-enabled": True,
    "auth-type-refresh-enabled": True, "auth-type-device-enabled": False,
    "pkce-allowed": True, "pkce-required": False, "pkce-required-public-client": True,
    "pkce-method-plain-allowed": False, "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
    "scopes-supported": ["openid", "users.read"]}})
print(json.dumps({
    "server": "glewlwyd", "pid": os.getpid(), "port": port, "issuer": base,
    "authorization_endpoint": base + "/api/oidc/auth", "token_endpoint": base + "/api/oidc/token",
    "revocation_endpoint": base + "/api/oidc/revoke",
    "introspection_endpoint": base + "/api/oidc/introspect", "openid_configuration": base + "/api/oidc/.well-known/openid-configuration",
    "native_client_id": "native", "redirect_path": "/callback", "redirect_ports": [18910, 18911],
    "scope": "users.read", "resource": RESOURCE, "person": PERSON}), flush=True)
server.wait()
