import ServiceLifecycle
import Synchronization
import UnixSignals

/// SIGTERM and SIGINT, after which userd ends, also while it opens its cache again.
final class Endings: Sendable {
    private struct Contents {
        var isCaught = false
        var reader: AsyncStream<Never>.Continuation?
    }

    private let contents = Mutex(Contents())

    /// From here on, these signals do nothing else.
    init() async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        Task { for await _ in signals { caught() } }
    }

    var isCaught: Bool { contents.withLock { $0.isCaught } }

    /// Ends with the first signal. For one reader after another.
    func wait() -> AsyncStream<Never> {
        let (stream, reader) = AsyncStream.makeStream(of: Never.self)
        contents.withLock { contents in
            contents.reader = reader
            if contents.isCaught { reader.finish() }
        }
        return stream
    }

    private func caught() {
        contents.withLock { contents in
            contents.isCaught = true
            contents.reader?.finish()
        }
    }
}

struct EndingService: Service, CustomStringConvertible {
    let endings: Endings
    let description = "signals"

    func run() async {
        await cancelWhenGracefulShutdown { for await _ in endings.wait() {} }
    }
}
