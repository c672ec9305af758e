"""Tries inside a service's sandbox what userd must not do, and some of what it does.

Prints each attempt's result as `tried to NAME: OUTCOME`: what was found, `done`, or the name of the error.
"""

import ctypes
import errno
import mmap
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
home = os.environ["HOME"]
runtime = os.environ["XDG_RUNTIME_DIR"]
cache = os.environ["CACHE_DIRECTORY"]
tokens = os.environ["STATE_DIRECTORY"]
manager = int(os.environ["MANAGERPID"])


def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def write(directory):
    path = directory + "/.probe%d" % os.getpid()
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
    os.unlink(path)


def run_from(directory):
    path = directory + "/.probe%d" % os.getpid()
    shutil.copyfile("/usr/bin/true", path)
    os.chmod(path, 0o700)
    try:
        subprocess.run([path], check=True)
    finally:
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
    path = cache + "/.probe%d" % os.getpid()
    with open(path, "w"):
        pass
    try:
        os.chmod(path, 0o4755)
    finally:
        os.unlink(path)


def control_group(controller):
    """The probe's own group, in the hierarchy with this controller, or in the one whose line begins with 0."""
    with open("/proc/self/cgroup") as lines:
        groups = [line.strip().split(":", 2) for line in lines]
    for _, controllers, path in groups:
        if controller in controllers.split(","):
            return "/sys/fs/cgroup/" + controllers + path
    top = "/sys/fs/cgroup/unified" if os.path.isdir("/sys/fs/cgroup/unified") else "/sys/fs/cgroup"
    return top + next(path for number, _, path in groups if number == "0")


def make_control_group():
    path = control_group(None) + "/.probe"
    os.mkdir(path)
    os.rmdir(path)


def limit_of_processes():
    with open(control_group("pids") + "/pids.max") as file:
        return file.read().strip()


def status(name):
    with open("/proc/self/status") as lines:
        return next(line.split()[1] for line in lines if line.startswith(name + ":"))


def is_read_only(path):
    return "yes" if os.statvfs(path).f_flag & os.ST_RDONLY else "no"


def mask():
    value = os.umask(0)
    os.umask(value)
    return "%04o" % value


def raise_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


SYSCALLS = {
    "x86_64": dict(ptrace=101, personality=135, sched_setscheduler=144, mount=165, setuid=105, reboot=169,
                   sethostname=170, syslog=103, clock_settime=227, keyctl=250, unshare=272, perf_event_open=298,
                   process_vm_readv=310, process_vm_writev=311, kcmp=312, finit_module=313, bpf=321,
                   io_uring_setup=425, pidfd_getfd=438, x32_getpid=0x40000000 + 39),
    "aarch64": dict(ptrace=117, personality=92, sched_setscheduler=119, mount=40, setuid=146, reboot=142,
                    sethostname=161, syslog=116, clock_settime=112, keyctl=219, unshare=97, perf_event_open=241,
                    process_vm_readv=270, process_vm_writev=271, kcmp=272, finit_module=273, bpf=280,
                    io_uring_setup=425, pidfd_getfd=438),
}[os.uname().machine]


def call(name, *arguments):
    checked(libc.syscall(ctypes.c_long(SYSCALLS[name]), *arguments))


def stop_here(number):
    """Makes the kernel answer a system call with ENOSYS unless an earlier filter refuses it (seccomp(2)).

    Calls that need privileges fail anyway, so their error alone would not show a filter.
    """
    set_seccomp, mode_filter = 22, 2
    load, jump_if_equal, answer, trace, allow = 0x20, 0x15, 0x06, 0x7FF00000, 0x7FFF0000
    filters = [(load, 0, 0, 0), (jump_if_equal, 0, 1, number), (answer, 0, 0, trace), (answer, 0, 0, allow)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in filters))
    pointer = struct.pack("HP", len(filters), ctypes.addressof(program))
    checked(libc.prctl(set_seccomp, mode_filter, pointer))


def pass_filters(name, *arguments):
    stop_here(SYSCALLS[name])
    try:
        call(name, *arguments)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise


def session_keyring():
    describe, session = 6, -3
    description = ctypes.create_string_buffer(200)
    call("keyctl", describe, session, description, len(description))
    return description.value.decode().split(";")[-1]


ATTEMPTS = {
    "write to the cache": lambda: write(cache),
    "write to the tokens": lambda: write(tokens),
    "run a file of the cache": lambda: run_from(cache),
    "run a file of the tokens": lambda: run_from(tokens),
    "see the system bus": lambda: files("/run/dbus"),
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
    "read the program": lambda: read(home + "/.local/bin/userd"),
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
    "see another process": lambda: os.stat("/proc/%d" % manager) and None,
    "read another's memory": lambda: pass_filters("process_vm_readv", manager, None, 0, None, 0, 0),
    "write another's memory": lambda: pass_filters("process_vm_writev", manager, None, 0, None, 0, 0),
    "take another's descriptor": lambda: pass_filters("pidfd_getfd", -1, 0, 0),
    "compare with another": lambda: pass_filters("kcmp", os.getpid(), manager, 0, 0, 0),
    "trace another": lambda: pass_filters("ptrace", 16, manager, 0, 0),
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
    "make a namespace": lambda: pass_filters("unshare", 0x10000000),
    "mount": lambda: pass_filters("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "change the user": lambda: pass_filters("setuid", 0xFFFFFFFF),
    "set a file's user": make_set_user_id,
    "make a control group": make_control_group,
    "change the personality": lambda: pass_filters("personality", 0x40000),
    "real-time scheduling": lambda: pass_filters("sched_setscheduler", 0, os.SCHED_FIFO, struct.pack("i", 1)),
    "idle scheduling": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
    "reboot": lambda: pass_filters("reboot", 0, 0, 0, 0),
    "session keyring": session_keyring,
    "BPF": lambda: pass_filters("bpf", 99, 0, 0),
    "performance counters": lambda: pass_filters("perf_event_open", 0, 0, 0, 0, 0),
    "io_uring": lambda: pass_filters("io_uring_setup", 0, 0),
    "set the clock": lambda: pass_filters("clock_settime", 0, None),
    "set the host's name": lambda: pass_filters("sethostname", b"name", 4),
    "read the kernel's log": lambda: pass_filters("syslog", 10, None, 0),
    "load a kernel module": lambda: pass_filters("finit_module", -1, b"", 0),
    "mode of /proc/kmsg": lambda: "%04o" % (os.stat("/proc/kmsg").st_mode & 0o7777),
    "raise the limit of files": raise_limit,
    "limit of open files": lambda: str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
    "limit of core dumps": lambda: str(resource.getrlimit(resource.RLIMIT_CORE)[1]),
    "limit of processes": limit_of_processes,
    "ask for another priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 1),
    "file mode mask": mask,
    "capabilities": lambda: status("CapBnd"),
    "no new privileges": lambda: status("NoNewPrivs"),
    "/proc/sys is read-only": lambda: is_read_only("/proc/sys"),
    "Swift's backtraces": lambda: os.environ.get("SWIFT_BACKTRACE", "as usual"),
    "IPC namespace": lambda: os.readlink("/proc/self/ns/ipc"),
    "UTS namespace": lambda: os.readlink("/proc/self/ns/uts"),
    "mount namespace": lambda: os.readlink("/proc/self/ns/mnt"),
    "user namespace": lambda: os.readlink("/proc/self/ns/user"),
}
if "x32_getpid" in SYSCALLS:
    ATTEMPTS["another architecture's call"] = lambda: call("x32_getpid")


def outcome(attempt):
    """Runs an attempt in a process of its own, so that its changes or its end do not affect others."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = attempt() or "done"
        except OSError as error:
            outcome = errno.errorcode.get(error.errno, str(error))
        except Exception as error:
            outcome = repr(error)
        os.write(writer, outcome.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        outcome = answer.read()
    _, status = os.waitpid(child, 0)
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else outcome


for name, attempt in ATTEMPTS.items():
    print("tried to %s: %s" % (name, outcome(attempt)), flush=True)
