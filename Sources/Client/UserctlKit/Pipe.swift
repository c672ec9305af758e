import Glibc

/// A pipe that no other program inherits. Whoever makes one closes its ends.
struct Pipe {
    let reading: Int32
    let writing: Int32

    /// Nil where `errno` says why.
    /// - Parameter waits: whether who reads or writes waits until it can be done.
    init?(waits: Bool) {
        var ends: [Int32] = [-1, -1]
        // Swift shows nothing of pipe2.
        guard pipe(&ends) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            if !waits { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }
    }
}
