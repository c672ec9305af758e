"""Starts programs, and reads their costs from the kernel."""

import contextlib
import os
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass


def run(command, **options):
    """Runs a program, which must succeed, and returns its output."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


@dataclass
class Cost:
    """Costs: seconds, seconds of processor time, and bytes."""

    wall: float
    cpu: float
    written: int
    memory: int


def cost_of(command, **options):
    """The costs of a program and its children, from its start to its end.

    time(1) starts it, since the kernel's peak of memory includes the starting process's."""
    with tempfile.NamedTemporaryFile("r") as file:
        start = time.monotonic()
        subprocess.run(
            ["time", "--format", "%U %S %O %M", "--output", file.name, *command],
            check=True, stdout=subprocess.DEVNULL, **options)
        wall = time.monotonic() - start
        user, system, blocks, memory = map(float, file.read().split())
    return Cost(wall, user + system, int(blocks) * 512, int(memory) * 1024)


class Process:
    """A program that runs until it is stopped."""

    started = []

    def __init__(self, command, environment=None, log=os.devnull):
        with open(log, "ab") as output:
            self.child = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.name, self.pid, self.log = os.path.basename(command[0]), self.child.pid, log
        Process.started.append(self)

    def until(self, is_ready, seconds=300, every=0.02):
        """Waits until a condition is true, while the process runs."""
        end = time.monotonic() + seconds
        while not is_ready():
            if self.child.poll() is not None or time.monotonic() > end:
                self.stop()
                raise SystemExit(f"{self.name} did not become ready; its log is {self.log}")
            time.sleep(every)

    def stop(self):
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(30)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        if self in Process.started:
            Process.started.remove(self)

    @staticmethod
    def stop_all():
        """Stops the program, not by SIGKILL, which nginx's workers would outlive."""
        for process in list(Process.started):
            process.child.terminate()
        for process in list(Process.started):
            process.stop()

    def cpu(self):
        """Seconds of processor time since its start, by its clock (clock_getcpuclockid(3)), which counts nanoseconds."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def written(self):
        return self._number("io", "write_bytes")

    def status(self, name):
        """Bytes of VmRSS, RssAnon or VmHWM (the peak)."""
        return self._number("status", name) * 1024

    def switches(self):
        """Context switches so far, by thread."""
        counts = {}
        for task in os.listdir(f"/proc/{self.pid}/task"):
            # The thread may have ended.
            with contextlib.suppress(OSError):
                counts[task] = sum(
                    self._number(f"task/{task}/status", name)
                    for name in ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"))
        return counts

    def spending(self, work):
        """The costs of the process during some work, and its peak of memory so far."""
        cpu, written, start = self.cpu(), self.written(), time.monotonic()
        work()
        wall = time.monotonic() - start
        return Cost(wall, self.cpu() - cpu, self.written() - written, self.status("VmHWM"))

    def _number(self, file, name):
        with open(f"/proc/{self.pid}/{file}") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def allow_files(count):
    """Allows as many open files as a thousand clients need."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
