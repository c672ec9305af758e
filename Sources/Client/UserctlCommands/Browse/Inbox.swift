import Glibc
import Synchronization

/// Events from other threads and signals, and a descriptor that is readable when there are any.
final class Inbox: Sendable {
    static let signals = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT]

    let descriptor: Int32
    private let writing: Int32
    private let events = Mutex<[Browser.Event]>([])

    init() throws {
        guard let pipe = Pipe(waits: false) else {
            throw CommandError("can't create a pipe: \(String(cString: strerror(errno)))", .unavailable)
        }
        (descriptor, writing) = (pipe.reading, pipe.writing)
        signalDescriptor = writing
        for signal in Self.signals { listen(to: signal) }
    }

    func listen(to number: Int32) {
        signal(number) { number in
            let saved = errno
            var byte = UInt8(number)
            write(signalDescriptor, &byte, 1)
            errno = saved
        }
    }

    func post(_ event: Browser.Event) {
        events.withLock { $0.append(event) }
        var byte: UInt8 = 0
        // If the pipe is full, the reader is woken anyway.
        write(writing, &byte, 1)
    }

    func take() -> (signals: [Int32], events: [Browser.Event]) {
        var bytes = [UInt8](repeating: 0, count: 256)
        var signals: [Int32] = []
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            signals += bytes[..<count].filter { $0 != 0 }.map(Int32.init)
        }
        let taken = events.withLock { events in
            defer { events = [] }
            return events
        }
        return (signals, taken)
    }
}

// Global, because a signal handler can't capture. Written once, before the handlers are installed.
nonisolated(unsafe) private var signalDescriptor: Int32 = -1
