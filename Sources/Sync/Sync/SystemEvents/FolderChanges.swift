import Dispatch
import Glibc

/// Reports when a file whose name begins so is removed from a folder or moved into or out of it, or when the
/// folder itself is moved or removed. Changes while the consumer is busy are reported once.
/// - Parameter failed: called with the reason if the kernel can't watch the folder (inotify(7)): no reports come.
package func changes(
    in folder: String, ofNames beginning: String, failed: (_ reason: String) -> Void = { _ in }
) -> AsyncStream<Void> {
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    let events = IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
        failed(reason(errno))
        if descriptor >= 0 { close(descriptor) }
        return changes
    }
    // Dispatch objects are thread-safe, but not declared so on Linux.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "folder changes"))
    source.setEventHandler { if hasNews(descriptor, of: Array(beginning.utf8)) { change.yield() } }
    source.setCancelHandler { close(descriptor) }
    change.onTermination = { _ in source.cancel() }
    source.activate()
    return changes
}

/// Reads the pending events.
private func hasNews(_ descriptor: Int32, of beginning: [UInt8]) -> Bool {
    var hasNews = false
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return hasNews }
        var rest = buffer[..<count]
        while rest.count >= MemoryLayout<inotify_event>.size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            // An event without a name is about the folder, or says that events were lost.
            if event.len == 0 || rest.starts(with: beginning) { hasNews = true }
            rest = rest.dropFirst(Int(event.len))
        }
    }
}
