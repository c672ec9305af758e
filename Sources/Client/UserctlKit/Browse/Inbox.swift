import Glibc
import Synchronization

/// What comes to a browser from other threads and from signals, and a descriptor that can be read when there is any.
final class Inbox: Sendable {
    /// Of those that have a meaning for a full screen.
    static let signals = [SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT]

    let descriptor: Int32
    private let writing: Int32
    private let events = Mutex<[Browser.Event]>([])

    init() throws {
        guard let pipe = Pipe(waits: false) else {
            throw CommandError("no pipe can be had: \(String(cString: strerror(errno)))", .unavailable)
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
        // Where it is full, there is enough in it to be woken by.
        write(writing, &byte, 1)
    }

    /// All that has come.
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

// A signal handler can be given nothing else. Written once, before there are handlers.
nonisolated(unsafe) private var signalDescriptor: Int32 = -1
