import Glibc
import StrictJSON
import Synchronization
import TestSupport
import UserdAPI
import Varlink

/// Many simultaneous watchers on a few threads. Each checks that it gets every transition once and in order.
/// A watcher that fell behind continues from there.
final class WatcherCrowd: Sendable {
    struct Report: Sendable {
        /// States received by all watchers.
        var states = 0
        /// How often a watcher was told that it fell behind.
        var fellBehind = 0
        /// Observations that no watcher should make.
        var faults: [String] = []
        /// The last transition that each watcher has seen.
        var indices: [Int64] = []
    }

    private let reports: Mutex<[Report]>
    private let isOver = Atomic(false)

    private static let threads = 4

    /// All of them watch once this returns.
    init(_ count: Int, at path: String) async throws {
        reports = Mutex(Array(repeating: Report(), count: Self.threads))
        for thread in 0..<Self.threads {
            let watchers = try (0..<(count + thread) / Self.threads).map { _ in try WatchingPeer(path) }
            reports.withLock { $0[thread].indices = watchers.map { _ in -1 } }
            // The thread runs until the crowd ends.
            Task { try await onThread { self.follow(watchers, thread) } }
        }
        try await wait { !report.indices.contains(-1) }
    }

    func end() { isOver.store(true, ordering: .relaxed) }

    /// The sum over all threads.
    var report: Report {
        reports.withLock { reports in
            reports.reduce(into: Report()) {
                $0.states += $1.states
                $0.fellBehind += $1.fellBehind
                $0.faults += $1.faults
                $0.indices += $1.indices
            }
        }
    }

    private func follow(_ watchers: [WatchingPeer], _ thread: Int) {
        var polled = watchers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while !isOver.load(ordering: .relaxed) {
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            var report = Report()
            for index in polled.indices where polled[index].revents != 0 {
                watchers[index].receive(&report)
                // A watcher reports a lost connection itself.
                if watchers[index].hasEnded { polled[index].fd = -1 }
            }
            reports.withLock { reports in
                reports[thread].states += report.states
                reports[thread].fellBehind += report.fellBehind
                reports[thread].faults += report.faults
                reports[thread].indices = watchers.map(\.index)
            }
        }
    }
}

/// A watcher. Confined to a thread.
private final class WatchingPeer: @unchecked Sendable {
    let descriptor: Int32
    private(set) var hasEnded = false
    private var frames = FrameDecoder(maximumLength: 1 << 20)
    /// The indices of the snapshot, which comes first.
    private var indices: [Int64] = []
    /// The last transition that it has seen; -1 before the snapshot.
    private(set) var index: Int64 = -1

    init(_ path: String) throws {
        guard let address = UnixSocketPath(path) else { throw WaitedInVain(description: "a path too long") }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard address.withAddress({ connect(descriptor, $0, $1) }) == 0 else {
            throw WaitedInVain(description: "can't connect: \(String(cString: strerror(errno)))")
        }
        send("{}")
    }

    deinit { close(descriptor) }

    private func send(_ parameters: String) {
        let call = Array(#"{"method":"io.userd.Watch","more":true,"parameters":\#(parameters)}"#.utf8) + [0]
        _ = call.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    func receive(_ report: inout WatcherCrowd.Report) {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
        }
        guard !bytes.isEmpty else {
            hasEnded = true
            report.faults.append("after #\(index) the connection was closed")
            return
        }
        frames.append(bytes)
        do {
            while let frame = try frames.next() {
                try take(try JSONValue(validating: Array(frame), maximumDepth: 9), &report)
            }
        } catch {
            report.faults.append("after #\(index): \(error)")
        }
    }

    private func take(_ reply: JSONValue, _ report: inout WatcherCrowd.Report) throws {
        let parameters = reply["parameters"]
        if let error = reply["error"]?.string {
            guard error == "io.userd.FellBehind", let epoch = parameters?["epoch"]?.string,
                parameters?["index"]?.int == index
            else { return report.faults.append("after #\(index): \(error)") }
            report.fellBehind += 1
            return send(#"{"since":\#(index),"epoch":"\#(epoch)"}"#)
        }
        guard let new = parameters?["state"]?["index"]?.int else {
            return report.faults.append("after #\(index): no state")
        }
        report.states += 1
        if index < 0 {
            indices.append(new)
            if indices.count == 2 { index = indices.max() ?? 0 }
        } else if new == index + 1 {
            index = new
        } else {
            report.faults.append("after #\(index) came #\(new)")
        }
    }
}
