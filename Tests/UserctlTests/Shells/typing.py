#!/usr/bin/env python3
"""typing.py SHELL USERCTL LINE…: runs the shell in a terminal, and types each line, with its tabs, and Enter.

Prints, as JSON, the arguments that userctl got for each line, and the terminal's output.
"""
import json, os, pty, select, shlex, subprocess, sys, tempfile, time

shell, userctl, *lines = sys.argv[1:]
PROMPT = "READY>"
COMMANDS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". {directory}/_userctl; PS1='READY''>'; HISTFILE=; bind 'set bell-style none'"),
    "zsh": (["zsh", "-f", "-i"], "fpath=({directory} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; PS1='READY''>'"),
    "fish": (["fish", "--no-config", "-i"], ". {directory}/_userctl; function fish_prompt; printf 'READY%s' '>'; end; set fish_greeting"),
}
LIMIT = 100


class Terminal:
    def __init__(self, command, environment):
        process, self.descriptor = pty.fork()
        if process == 0:
            os.execvpe(command[0], command, environment)
        self.shown = ""

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def read(self, done):
        """Reads until done accepts the new output."""
        since, deadline = "", time.monotonic() + LIMIT
        while not done(since):
            ready, _, _ = select.select([self.descriptor], [], [], 0.02)
            if ready:
                since += os.read(self.descriptor, 65536).decode(errors="replace").replace("\0", "")
            elif time.monotonic() > deadline:
                sys.exit(f"{shell} shows {since!r} after {self.shown!r}")
        self.shown += since


with tempfile.TemporaryDirectory() as directory:
    result = os.path.join(directory, "arguments")
    with open(os.path.join(directory, "_userctl"), "w") as file:
        subprocess.run([userctl, "completion", shell], stdout=file, check=True)
    # Completion calls the real program; the arguments of other calls are recorded.
    stand_in = os.path.join(directory, "userctl")
    with open(stand_in, "w") as file:
        file.write(
            f"""#!/bin/sh
[ "$1" = ---completion ] && exec {shlex.quote(userctl)} "$@"
for argument; do printf '%s\\0' "$argument"; done >{result}.new
mv {result}.new {result}
"""
        )
    os.chmod(stand_in, 0o755)
    environment = dict(os.environ, TERM="linux", COLUMNS="200", HOME=directory)
    environment["PATH"] = directory + ":" + environment["PATH"]
    command, start = COMMANDS[shell]
    terminal = Terminal(command, environment)
    terminal.type(start.replace("{directory}", directory) + "\r")
    terminal.read(lambda text: PROMPT in text)
    begun = len(terminal.shown)
    arguments = []
    for line in lines:
        terminal.type(line + "\r")
        terminal.read(lambda text: os.path.exists(result) and PROMPT in text)
        with open(result) as file:
            arguments.append(file.read().split("\0")[:-1])
        os.unlink(result)
    print(json.dumps({"arguments": arguments, "shown": terminal.shown[begun:]}))
