"""What .ci/directories and .ci/web-directories share: a paused userd, and how a column of the table is filled."""
import json
import os
import subprocess
import sys
import time

BIN = os.path.realpath(sys.argv[1])
LIMIT = 300


class Wrong(Exception):
    """An unexpected result."""


def check(holds, words):
    if not holds:
        raise Wrong(str(words)[:300])


class Userd:
    """A paused userd with files of its own in the folder `home`."""

    def __init__(self, home):
        self.home, self.userd = home, None
        self.environment = os.environ | {'USERD_SOCKET': f'{home}/userd.sock', 'USERD_DATABASE': f'{home}/cache/userd.db'}

    def command(self, *words):
        return list(words)

    def secret(self, name, value):
        with open(f'{self.home}/{name}', 'w', opener=lambda *it: os.open(*it, 0o600)) as file:
            file.write(value + '\n')

    def run(self, *words, input='', fails=False):
        done = subprocess.run(self.command(*words), input=input, capture_output=True, text=True, timeout=LIMIT,
                              env=self.environment)
        check(fails or done.returncode == 0, f'{words[0]} {words[-1]}: {done.stderr.strip()}')
        return done.stdout

    def start(self):
        self.stop()
        with open(f'{self.home}/log', 'a') as log:
            self.userd = subprocess.Popen(self.command(f'{BIN}/userd', '--config', f'{self.home}/userd.yaml'), stderr=log,
                                          env=self.environment)
        end = time.monotonic() + LIMIT
        while not os.path.exists(f'{self.home}/userd.sock'):
            check(self.userd.poll() is None and time.monotonic() < end, 'userd did not start')
            time.sleep(0.05)

    def stop(self):
        if self.userd:
            self.userd.terminate()
            self.userd.wait(LIMIT)
            self.userd = None

    def sync(self, *options):
        """Syncs, and returns the final state."""
        self.run(f'{BIN}/userctl', 'sync', 'users', '--wait', '--quiet', *options, fails=True)
        return json.loads(self.run(f'{BIN}/userctl', 'history', 'users', '--limit', '1', '--output', 'ndjson'))

    def users(self):
        lines = self.run(f'{BIN}/userctl', 'list', '--output', 'ndjson', '--quiet').splitlines()
        return {user['username']: user for user in map(json.loads, lines)}

    def cells(self, rows):
        """What each row says, or what went wrong in it."""
        cells = []
        for _, row in rows:
            try:
                cells.append(row(self))
            except (Wrong, KeyError, OSError, subprocess.SubprocessError) as error:
                cells.append(f'WRONG: {error!r}')
        return cells


def right(cells):
    return sum(not cell.startswith('WRONG') for cell in cells)
