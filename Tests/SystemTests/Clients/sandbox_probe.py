"""Tries from inside a service's sandbox what userd is not to do, and some of what it does.

Prints how each attempt ended as `tried to NAME: OUTCOME`: what was found, `done`, or the name of the error.
"""

import ctypes
import errno
import mmap
import os
import resource
import socket

libc = ctypes.CDLL(None, use_errno=True)
home = os.environ["HOME"]
runtime = os.environ["XDG_RUNTIME_DIR"]
cache = os.environ["CACHE_DIRECTORY"]
manager = int(os.environ["MANAGERPID"])


def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def write(directory):
    path = directory + "/.probe"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    os.unlink(path)


def read(path):
    with open(path, "rb") as file:
        file.read(1)


def files(directory):
    return " ".join(sorted(os.listdir(directory))) or "none"


def connect(path):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)


def open_socket(family, kind=socket.SOCK_STREAM):
    socket.socket(family, kind).close()


def map_writable_and_executable():
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def make_executable():
    memory = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    checked(libc.mprotect(ctypes.c_void_p(address), 4096, mmap.PROT_READ | mmap.PROT_EXEC))


def make_set_user_id():
    path = cache + "/.probe"
    with open(path, "w"):
        pass
    try:
        os.chmod(path, 0o4755)
    finally:
        os.unlink(path)


def make_control_group():
    # Where there is one hierarchy, or the one of two that systemd prefers: the line that begins with 0.
    with open("/proc/self/cgroup") as lines:
        own = next(line.split(":", 2)[2].strip() for line in lines if line.startswith("0:"))
    top = "/sys/fs/cgroup/unified" if os.path.isdir("/sys/fs/cgroup/unified") else "/sys/fs/cgroup"
    os.mkdir(top + own + "/.probe")
    os.rmdir(top + own + "/.probe")


def status(name):
    with open("/proc/self/status") as lines:
        return next(line.split()[1] for line in lines if line.startswith(name + ":"))


def is_read_only(path):
    return "yes" if os.statvfs(path).f_flag & os.ST_RDONLY else "no"


def mask():
    value = os.umask(0)
    os.umask(value)
    return "%04o" % value


def limit(which):
    return str(resource.getrlimit(which)[1])


def raise_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


SYSCALLS = {
    "x86_64": dict(ptrace=101, personality=135, mount=165, setuid=105, reboot=169, keyctl=250, unshare=272,
                   perf_event_open=298, bpf=321, io_uring_setup=425, process_vm_readv=310),
    "aarch64": dict(ptrace=117, personality=92, mount=40, setuid=146, reboot=142, keyctl=219, unshare=97,
                    perf_event_open=241, bpf=280, io_uring_setup=425, process_vm_readv=270),
}[os.uname().machine]


def call(name, *arguments):
    checked(libc.syscall(SYSCALLS[name], *arguments))


ATTEMPTS = {
    "write to the cache": lambda: write(cache),
    "write to the configuration": lambda: write(home + "/.config/userd"),
    "write to home": lambda: write(home),
    "write to ~/.cache": lambda: write(home + "/.cache"),
    "write to the runtime directory": lambda: write(runtime),
    "write to /tmp": lambda: write("/tmp"),
    "write to /var/tmp": lambda: write("/var/tmp"),
    "write to /dev/shm": lambda: write("/dev/shm"),
    "write to /run/lock": lambda: write("/run/lock"),
    "write to /etc": lambda: write("/etc"),
    "write to /usr": lambda: write("/usr"),
    "read ~/.ssh/id": lambda: read(home + "/.ssh/id"),
    "read the configuration": lambda: read(home + "/.config/userd/config.yaml"),
    "files in ~/.config": lambda: files(home + "/.config"),
    "files in /home": lambda: files("/home"),
    "write to /home": lambda: write("/home"),
    "write to /root": lambda: write("/root"),
    "write to /run/user": lambda: write("/run/user"),
    "files in /tmp": lambda: files("/tmp"),
    "files in the runtime directory": lambda: files(runtime),
    "ask the service manager": lambda: connect(runtime + "/systemd/private"),
    "read another's environment": lambda: read("/proc/%d/environ" % manager),
    "read another's memory": lambda: call("process_vm_readv", manager, None, 0, None, 0, 0),
    "trace another": lambda: call("ptrace", 16, manager, 0, 0),
    "open /dev/mem": lambda: read("/dev/mem"),
    "open /dev/kmsg": lambda: read("/dev/kmsg"),
    "open /dev/null": lambda: read("/dev/null"),
    "map memory to write and execute": map_writable_and_executable,
    "make memory executable": make_executable,
    "socket AF_UNIX": lambda: open_socket(socket.AF_UNIX),
    "socket AF_INET": lambda: open_socket(socket.AF_INET),
    "socket AF_INET6": lambda: open_socket(socket.AF_INET6),
    "socket AF_NETLINK": lambda: open_socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "socket AF_PACKET": lambda: open_socket(socket.AF_PACKET, socket.SOCK_RAW),
    "socket AF_VSOCK": lambda: open_socket(socket.AF_VSOCK),
    "make a namespace": lambda: call("unshare", 0x10000000),
    "mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "change the user": lambda: call("setuid", 0xFFFFFFFF),
    "set a file's user": make_set_user_id,
    "make a control group": make_control_group,
    "change the personality": lambda: call("personality", 0x40000),
    "real-time scheduling": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "idle scheduling": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
    "reboot": lambda: call("reboot", 0, 0, 0, 0),
    "kernel keyring": lambda: call("keyctl", 0, -3, 1),
    "BPF": lambda: call("bpf", 99, 0, 0),
    "performance counters": lambda: call("perf_event_open", 0, 0, 0, 0, 0),
    "io_uring": lambda: call("io_uring_setup", 0, 0),
    "raise the limit of files": raise_limit,
    "limit of core dumps": lambda: limit(resource.RLIMIT_CORE),
    "ask for another priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 1),
    "file mode mask": mask,
    "capabilities": lambda: status("CapBnd"),
    "no new privileges": lambda: status("NoNewPrivs"),
    "/proc/sys is read-only": lambda: is_read_only("/proc/sys"),
    "IPC namespace": lambda: os.readlink("/proc/self/ns/ipc"),
}

for name, attempt in ATTEMPTS.items():
    try:
        outcome = attempt() or "done"
    except OSError as error:
        outcome = errno.errorcode.get(error.errno, str(error))
    print("tried to %s: %s" % (name, outcome), flush=True)
