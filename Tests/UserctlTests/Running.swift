import Model
import Synchronization
import TestSupport
import UserctlKit

/// How a command ended, and what it wrote.
struct Ended {
    let code: Int32
    let output: String
    let errors: String
}

let noon = Timestamp(rfc3339: "2026-03-04T12:00:00Z")!
let clock = WallClock(now: { noon })

private final class Written: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}

/// Runs a command line as `userctl` would, at noon.
/// - Parameter environment: beside that, nothing of the real one counts.
func userctl(
    _ arguments: [String], environment: [String: String] = [:], width: Int? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
) async -> Ended {
    let (output, errors) = (Written(), Written())
    let console = Console(
        environment: environment, clock: clock, sleep: sleep,
        output: .init(width: width, write: { output.append($0) }),
        errors: .init(write: { errors.append($0) }))
    let code = await Console.$current.withValue(console) { await Userctl.execute(arguments) }
    return Ended(code: code, output: output.text, errors: errors.text)
}

func userctl(_ arguments: String..., environment: [String: String] = [:]) async -> Ended {
    await userctl(arguments, environment: environment)
}
