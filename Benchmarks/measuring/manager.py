"""A separate service manager for userd's units. It needs root."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

from .prepared import TOP
from .programs import ask, message

# A machine may have several hierarchies of control groups, and systemd uses more than one of them.
GROUPS = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"]
# A home where the sandbox expects it.
HOME = "/home/bench"
# An ordinary user: root's sandbox would differ.
USER_ID = 4711

# Runs in a process with its own control groups, like a user's manager.
SCRIPT = r"""
set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system /run/systemd/unit-root /run/credentials "$XDG_RUNTIME_DIR"
mount -t tmpfs -o "mode=700,uid=$ID,gid=$ID" tmpfs "$XDG_RUNTIME_DIR"
mkdir /run/bench
mount --bind "$FOLDER" /run/bench
mount -t tmpfs -o mode=755 tmpfs /home
mkdir "$HOME"
chown -R "$ID:$ID" /run/bench
mount --bind /run/bench "$HOME"
# The sandbox leaves folders in both.
for folder in /tmp /var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$folder"; done
for top in $TOPS; do
    [ -e "$top/cgroup.procs" ] || continue
    mkdir -p "$top/$GROUP"
    chown -R "$ID:$ID" "$top/$GROUP"
    echo $$ > "$top/$GROUP/cgroup.procs"
done
as_user="setpriv --reuid $ID --regid $ID --clear-groups"
$as_user /lib/systemd/systemd --user > "$HOME/manager.log" 2>&1 &
until $as_user systemctl --user show > /dev/null 2>&1; do kill -0 $!; sleep 0.02; done
$as_user systemctl --user start userd.socket
cd "$HOME"
$as_user python3 -B -m measuring.manager "$RUNS"
$as_user systemctl --user exit
wait
"""


def after_kill(bench, database):
    """Measures in the manager; returns the times."""
    if os.geteuid() != 0:
        raise SystemExit("row 17 needs root, for a service manager of its own")
    folder = bench.fresh("managed")
    units, settings, cache, programs = (
        f"{folder}/{name}" for name in (".config/systemd/user", ".config/userd", ".cache/userd", ".local/bin"))
    for path in (units, settings, cache, programs):
        os.makedirs(path, mode=0o700)
    shutil.copy(bench.userd, programs + "/userd")
    shutil.copy(database, cache + "/userd.db")
    shutil.copytree(os.path.dirname(os.path.abspath(__file__)), folder + "/measuring")
    with open(settings + "/config.yaml", "w") as file:
        file.write("paused: true\n")
    for name in ("userd.service", "userd.socket"):
        with open(f"{TOP}/systemd/{name}") as file:
            text = file.read().replace("/usr/bin/userd", HOME + "/.local/bin/userd")
        with open(f"{units}/{name}", "w") as file:
            file.write(text)
    group = f"userd-bench-{os.getpid()}"
    environment = {
        "HOME": HOME, "LANG": "C.UTF-8", "FOLDER": folder, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "XDG_RUNTIME_DIR": f"/run/user/{USER_ID}", "ID": str(USER_ID), "TOPS": " ".join(GROUPS), "GROUP": group,
        "RUNS": str(bench.runs),
    }
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", SCRIPT],
        env=environment, stdout=subprocess.PIPE, text=True)
    for top in GROUPS:
        for path, _, _ in os.walk(f"{top}/{group}", topdown=False):
            os.rmdir(path)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}\nthe service manager failed: {folder}/manager.log")
    return json.loads(done.stdout)


def systemctl(*arguments):
    return subprocess.run(
        ["systemctl", "--user", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def kill():
    path = os.environ["XDG_RUNTIME_DIR"] + "/userd/userd.sock"
    ask(path, message("GetState"))
    # The measurement exceeds the units' limit on starts, which is for crashes.
    systemctl("reset-failed", "userd.service", "userd.socket")
    pid = int(systemctl("show", "--value", "--property=MainPID", "userd.service"))
    start = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    ask(path, message("GetState"))
    elapsed = time.monotonic() - start
    if int(systemctl("show", "--value", "--property=MainPID", "userd.service")) == pid:
        raise SystemExit("the userd that answered was not killed")
    return elapsed


if __name__ == "__main__":
    print(json.dumps([kill() for _ in range(int(sys.argv[1]))]))
