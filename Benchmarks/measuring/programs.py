"""userd, its upstreams, and the programs it is compared with, each with its own sockets and folders."""

import json
import os
import socket
import urllib.request

from .processes import Process


def message(method, **parameters):
    return json.dumps({"method": "io.userd." + method, "parameters": parameters}).encode() + b"\0"


def ask(path, request, seconds=1800):
    """Makes a call over a Unix socket, and returns the reply with its NUL."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(seconds)
        client.connect(path)
        client.sendall(request)
        reply = bytearray()
        while not reply.endswith(b"\0"):
            part = client.recv(1 << 20)
            if not part:
                raise ConnectionError(f"{path} closed the connection")
            reply += part
        return bytes(reply)


def answers(path, request):
    try:
        return bool(ask(path, request, 30))
    except OSError:
        return False


class Userd(Process):
    """A userd that syncs only on request."""

    def __init__(self, bench, name, settings, paused=True):
        home = bench.folder(name)
        self.socket = home + "/s"
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.database = settings.get("database", home + "/userd.db")
        defaults = {
            "socket": self.socket, "database": self.database, "paused": "true" if paused else "false",
            # A request by mistake is refused.
            "users.url": "http://127.0.0.1:9/", "facts.url": "http://127.0.0.1:9/", "facts.one_url": "http://127.0.0.1:9/",
            "users.interval": "24h", "facts.interval": "24h", "users.query": "seed=bench", "users.page_size": "5000",
        }
        self.environment = environment(home) | {
            "USERD_" + key.replace(".", "_").upper(): str(value) for key, value in (defaults | settings).items()}
        super().__init__([bench.userd], self.environment, home + "/log")

    def ready(self):
        self.until(lambda: answers(self.socket, message("GetState")))
        return self

    def call(self, method, **parameters):
        reply = json.loads(ask(self.socket, message(method, **parameters))[:-1])
        if "error" in reply:
            raise SystemExit(f"{method}: {reply}")
        return reply["parameters"]

    def sync(self, users):
        """Syncs users, and expects this many."""
        state = self.call("Sync", resources=["users"], wait=True, accept_removals=True)["states"][0]
        if state["phase"] != "loaded" or state["count"] != users:
            raise SystemExit(f"the sync ended with {state}")


class Demo(Process):
    """The demo upstream."""

    def __init__(self, bench, users):
        port_file = bench.folder("demo") + "/port"
        if os.path.exists(port_file):
            os.unlink(port_file)
        super().__init__([bench.program("userd-demo-upstream"), "--users", str(users), "--port-file", port_file])
        self.until(lambda: os.path.exists(port_file) and open(port_file).read().endswith("\n"))
        self.base = f"http://127.0.0.1:{open(port_file).read().strip()}"
        self.url, self.facts = self.base + "/api/", self.base + "/facts"

    def edit(self, **edit):
        urllib.request.urlopen(self.base + "/control/edit", json.dumps(edit).encode()).close()


class Redis(Process):
    """A Redis that keeps nothing on disk."""

    def __init__(self, bench):
        home = bench.folder("redis")
        self.socket = home + "/s"
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        super().__init__(
            ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir", home])

    def is_ready(self):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(self.socket)
                client.sendall(b"PING\r\n")
                return client.recv(16) == b"+PONG\r\n"
        except OSError:
            return False

    def set(self, key, value):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.socket)
            client.sendall(b"*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(key), key, len(value), value))
            if client.recv(16) != b"+OK\r\n":
                raise SystemExit("Redis refused a value")


class Nginx(Process):
    """An nginx of one process. servers is the inside of its http block."""

    def __init__(self, bench, name, servers):
        home = bench.folder(name)
        with open(home + "/nginx.conf", "w") as file:
            file.write(f"""
                worker_processes 1;
                worker_rlimit_nofile 4096;
                daemon off;
                pid {home}/pid;
                error_log {home}/error.log;
                {"user root;" if os.geteuid() == 0 else ""}
                events {{ worker_connections 2048; }}
                http {{
                    access_log off;
                    sendfile on;
                    keepalive_requests 1000000;
                    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
                    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
                    {servers}
                }}
                """)
        super().__init__(["nginx", "-e", home + "/error.log", "-p", home, "-c", home + "/nginx.conf"], log=home + "/log")


def environment(home):
    """The whole environment of a program."""
    return {
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home, "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": home + "/run",
        "XDG_CACHE_HOME": home + "/.cache", "XDG_CONFIG_HOME": home + "/.config",
    }


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
