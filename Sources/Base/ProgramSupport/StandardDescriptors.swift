import Glibc

/// Opens /dev/null where standard input, output or error is closed, before anything else gets that number and is then
/// taken for it. In the other direction: who reads or writes there is told that it can't be done.
package func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // The lowest number that is free, which is this one.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
