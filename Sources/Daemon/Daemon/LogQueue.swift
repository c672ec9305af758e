import Glibc
import Platform
import Synchronization

/// What is written to a descriptor by any thread, in order, without waiting for its reader.
///
/// Writes at once what the descriptor takes at once. The rest waits for a thread, up to a limit; what is beyond
/// that is dropped, and counted when the reader goes on.
final class LogQueue: Sendable {
    private struct Contents {
        var waiting: [[UInt8]] = []
        var bytes = 0
        var dropped = 0
        /// A thread writes what waits.
        var isWriting = false
    }

    private let descriptor: Int32
    private let limit: Int
    /// The words about this number of dropped lines.
    private let dropped: @Sendable (Int) -> [UInt8]
    private let contents = Mutex(Contents())

    /// - Parameter limit: number of bytes that may wait.
    init(to descriptor: Int32, limit: Int = 1 << 18, dropped: @escaping @Sendable (Int) -> [UInt8]) {
        (self.descriptor, self.limit, self.dropped) = (descriptor, limit, dropped)
    }

    func write(_ line: [UInt8]) {
        contents.withLock { contents in
            if !contents.isWriting, takesAtOnce(line) {
                // A failure here can't be reported.
                try? writeFully(line, to: descriptor)
            } else if contents.bytes + line.count > limit {
                contents.dropped += 1
            } else {
                contents.waiting.append(line)
                contents.bytes += line.count
                if !contents.isWriting { contents.isWriting = startThread("log", run) == 0 }
            }
        }
    }

    /// Waits until everything is written, if somebody reads: for the end of the process.
    func flush(within limit: Duration) {
        let end = ContinuousClock.now + limit
        while contents.withLock({ $0.isWriting }), ContinuousClock.now < end { usleep(1000) }
    }

    /// A pipe with room, and a terminal or a socket that is not stopped, take a page (pipe(7), POLLOUT).
    private func takesAtOnce(_ line: [UInt8]) -> Bool {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return line.count <= 4096 && poll(&ready, 1, 0) == 1
    }

    private func run() {
        while true {
            let (lines, count) = contents.withLock { contents in
                defer { (contents.waiting, contents.bytes, contents.dropped) = ([], 0, 0) }
                contents.isWriting = !contents.waiting.isEmpty || contents.dropped > 0
                return (contents.waiting, contents.dropped)
            }
            if lines.isEmpty, count == 0 { return }
            for line in lines { try? writeFully(line, to: descriptor) }
            if count > 0 { try? writeFully(dropped(count), to: descriptor) }
        }
    }
}
