import Glibc

/// Runs a blocking closure on a thread of its own: with one processor, Swift's pool has only one thread.
package func detachThread(_ body: @escaping @Sendable () -> Void) {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let failure = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    // On failure the closure does not run; callers only lose what it shows.
    if failure == 0 { pthread_detach(thread) } else { box.release() }
}

/// Calls the closure once after a delay, on a thread of its own.
package let callLater: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { time, body in
    detachThread {
        let (seconds, attoseconds) = time.components
        var wanted = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var left = timespec()
        while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
        body()
    }
}
