"""Prepared data: pages of users, caches, and databases of sqlite3's own with the same users.

A folder that is kept (WORK) has them for the next run."""

import glob
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess

from .processes import run
from .programs import Demo, Nginx, Userd, environment, free_port

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Bench:
    """Programs, folders and figures of a run. programs is the folder of the release build."""

    def __init__(self, programs, work, runs):
        self.programs, self.work, self.runs = os.path.abspath(programs), os.path.abspath(work), runs
        self.figures = []
        # Without symbols, as they are installed.
        for name in ("userd", "userctl"):
            run(["strip", "--strip-all", "-o", f"{self.folder('bin')}/{name}", self.program(name)])
        self.userd, self.userctl = self.work + "/bin/userd", self.work + "/bin/userctl"

    def folder(self, name):
        os.makedirs(f"{self.work}/{name}", mode=0o700, exist_ok=True)
        return f"{self.work}/{name}"

    def program(self, name):
        return f"{self.programs}/{name}"

    def compiled(self, name):
        """Compiles a program of one C file, and returns its path."""
        source, program = f"{TOP}/Benchmarks/{name}.c", f"{self.folder('bin')}/{name}"
        run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, source])
        return program

    def fresh(self, name):
        shutil.rmtree(f"{self.work}/{name}", ignore_errors=True)
        return self.folder(name)

    def pages(self):
        """Two folders of 20 pages of 5,000 users; in the second, every hundredth user has changed."""
        folder = self.folder("pages")
        if not os.path.exists(folder + "/whole"):
            demo = Demo(self, 100_000)
            for name in ("first", "second"):
                os.makedirs(f"{folder}/{name}", exist_ok=True)
                run(["curl", "--silent", "--fail", "--output", f"{folder}/{name}/#1.json",
                     demo.url + "?page=[1-20]&results=5000&seed=bench"])
                demo.edit(changed=list(range(0, 100_000, 100)))
            demo.stop()
            open(folder + "/whole", "w").close()
        return folder

    def nginx(self):
        """An nginx with these pages, with and without validators; returns it and its URL."""
        port, folder = free_port(), self.pages()
        self.serve("first")
        server = Nginx(self, "nginx", f"""
            server {{
                listen 127.0.0.1:{port};
                root {folder}/served;
                default_type application/json;
                location /etag/ {{ try_files /$arg_page.json =404; }}
                location /plain/ {{
                    etag off; if_modified_since off; add_header Last-Modified "";
                    try_files /$arg_page.json =404;
                }}
            }}""")
        url = f"http://127.0.0.1:{port}"
        server.until(lambda: subprocess.run(["curl", "-sf", "-o", "/dev/null", url + "/plain/?page=1"]).returncode == 0)
        return server, url

    def scim(self):
        """An nginx with 100 pages of 1,000 users of a directory, one in fifty of them inactive; returns it and its URL."""
        port, folder = free_port(), self.folder("scim-pages")
        if not os.path.exists(folder + "/whole"):
            demo = Demo(self, 100_000)
            demo.edit(inactive=list(range(0, 100_000, 50)))
            run(["curl", "--silent", "--fail", "--output", folder + "/#1.json",
                 demo.base + "/scim/v2/Users?startIndex=[1-100000:1000]&count=1000"])
            demo.stop()
            open(folder + "/whole", "w").close()
        server = Nginx(self, "nginx-scim", f"""
            server {{
                listen 127.0.0.1:{port};
                root {folder};
                default_type application/scim+json;
                location = /scim/v2/Users {{
                    etag off; if_modified_since off; add_header Last-Modified "";
                    try_files /$arg_startIndex.json =404;
                }}
            }}""")
        url = f"http://127.0.0.1:{port}/scim/v2/Users"
        server.until(lambda: subprocess.run(["curl", "-sf", "-o", "/dev/null", url + "?startIndex=1"]).returncode == 0)
        return server, url

    def serve(self, name):
        """Makes nginx serve the first or the second pages from now on."""
        folder = self.folder("pages")
        os.symlink(name, folder + "/new")
        os.replace(folder + "/new", folder + "/served")

    def cache(self, users):
        """A cache with this many users, and the cost of its sync; made once for each schema."""
        schema = b"".join(open(file, "rb").read() for file in sorted(glob.glob(TOP + "/Migrations/*.sql")))
        folder = self.folder(f"filled-{users}-{hashlib.sha256(schema).hexdigest()[:8]}")
        database, costs = folder + "/userd.db", folder + "/cost.json"
        if not os.path.exists(costs):
            for file in glob.glob(database + "*"):
                os.unlink(file)
            demo, size = Demo(self, users), min(users, 5000)
            userd = Userd(self, "filler", {
                "database": database, "users.url": demo.url, "users.page_size": size, "users.pages": users // size}).ready()
            cost = userd.spending(lambda: userd.sync(users))
            userd.stop()
            demo.stop()
            # userd leaves a large log to the next program that opens the file.
            with sqlite3.connect(database) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with open(costs, "w") as file:
                json.dump(vars(cost), file)
        return database, json.load(open(costs))

    def cached(self, users, name="cached"):
        """A userd with this many users, and without an upstream."""
        return Userd(self, name, {"database": self.cache(users)[0]}).ready()

    def copied(self, name, users):
        """A writable copy of the cache with this many users."""
        database = self.fresh(name) + "/userd.db"
        shutil.copy(self.cache(users)[0], database)
        return database

    def table(self, users):
        """A database of sqlite3's own with the records that userd lists, in its order, and its search words in FTS5."""
        path = self.folder("sqlite") + f"/{users}.db"
        if not os.path.exists(path):
            userd = self.cached(users, "dumped")
            dump = subprocess.Popen(
                [self.userctl, "list", "--all", "--output", "ndjson", "--socket", userd.socket],
                env=environment(self.work), stdout=subprocess.PIPE, text=True)
            making = sqlite3.connect(path + ".new")
            making.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;" + SCHEMA)
            making.executemany(
                "INSERT INTO users (record) VALUES (?)", ((line.rstrip("\n"),) for line in dump.stdout))
            making.executescript(DERIVED)
            making.commit()
            making.execute("PRAGMA journal_mode = DELETE")
            making.close()
            userd.stop()
            if dump.wait() != 0:
                raise SystemExit("userctl list failed")
            os.replace(path + ".new", path)
        return path


def member(path):
    return f"json_extract(record, '$.{path}')"


SCHEMA = """
CREATE TABLE users (number INTEGER PRIMARY KEY, name_key TEXT, words TEXT, record TEXT NOT NULL);
CREATE VIRTUAL TABLE user_words USING fts5 (
    words, content = 'users', content_rowid = 'number', columnsize = 0, prefix = '1 2',
    tokenize = 'unicode61 remove_diacritics 2');
"""
# number is already the position in userd's order.
DERIVED = f"""
UPDATE users SET name_key = printf('%09d', number), words = concat_words;
CREATE INDEX users_by_name ON users (name_key);
INSERT INTO user_words (user_words) VALUES ('rebuild');
""".replace("concat_words", " || ' ' || ".join(
    f"ifnull({member(path)}, '')" for path in (
        "name.first", "name.last", "username", "email", "address.street", "address.city", "address.state",
        "address.postcode", "address.country")))
