import Foundation
import Model
import Synchronization

/// The last lines of the trace, and a digest of all lines.
final class TraceLog: Sendable {
    private struct Contents {
        var lines: [String] = []
        /// FNV-1a.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var onLine: (@Sendable (String) -> Void)?
    }

    private let contents = Mutex(Contents())

    var lines: [String] { contents.withLock { $0.lines } }
    var digest: UInt64 { contents.withLock { $0.digest } }

    /// Called with each line.
    var onLine: (@Sendable (String) -> Void)? {
        get { contents.withLock { $0.onLine } }
        set { contents.withLock { $0.onLine = newValue } }
    }

    func add(_ time: Duration, _ line: String) {
        let line = "\(time.milliseconds) \(line)"
        onLine?(line)
        contents.withLock { contents in
            for byte in line.utf8 { contents.digest = (contents.digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
            contents.lines.append(line)
            if contents.lines.count > 400 { contents.lines.removeFirst(200) }
        }
    }
}

/// Requests to daemons, and which of them are not yet answered.
final class Questions: Sendable {
    private struct Contents {
        var next = 1
        var open: Set<Int> = []
    }

    private let contents = Mutex(Contents())

    var next: Int { contents.withLock { $0.next } }
    var open: [Int] { contents.withLock { $0.open.sorted() } }

    func begin() -> Int {
        contents.withLock { contents in
            contents.open.insert(contents.next)
            contents.next += 1
            return contents.next - 1
        }
    }

    func end(_ number: Int) { contents.withLock { _ = $0.open.remove(number) } }
}

final class Box<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    var value: Result<Value, any Error>? { result.withLock { $0 } }
    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}

func decoded<T: Decodable>(_ type: T.Type, from json: [UInt8]) throws -> T {
    try JSONDecoder().decode(type, from: Data(json))
}
