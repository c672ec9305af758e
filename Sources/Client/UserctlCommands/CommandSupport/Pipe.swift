import Glibc

/// A pipe that child processes don't inherit. The caller closes its ends.
struct Pipe {
    let reading: Int32
    let writing: Int32

    /// Nil on failure, with the reason in `errno`.
    /// - Parameter waits: false for non-blocking ends.
    init?(waits: Bool) {
        var ends: [Int32] = [-1, -1]
        // Swift's Glibc has no pipe2.
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            if !waits { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }
    }
}
