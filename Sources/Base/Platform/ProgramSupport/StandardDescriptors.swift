import Glibc

/// Opens /dev/null for a closed stdin, stdout or stderr, so that no other file gets its number. It is opened in the
/// wrong direction, so that reading or writing still fails.
package func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // open(2) returns the lowest free number, which is this one.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}
