import FoundationEssentials
import Glibc

/// Writes a program as a shell script.
///
/// A process that another test starts meanwhile has the file open for writing between its fork and its exec, and until then
/// the script can't be run (ETXTBSY of execve(2)). So this waits until a read lease can be had, which needs that nobody
/// writes (F_SETLEASE of fcntl(2)).
package func writeScript(_ text: String, to path: String) throws {
    try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, fchmod(descriptor, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    // F_SETLEASE, which is declared only with _GNU_SOURCE.
    while fcntl(descriptor, 1024, F_RDLCK) != 0 {
        guard errno == EAGAIN else { throw CocoaError(.fileWriteUnknown) }
        usleep(1000)
    }
}
