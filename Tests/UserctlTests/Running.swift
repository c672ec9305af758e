import MockDaemon
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// A command's exit code and output.
struct Ended {
    let code: Int32
    let bytes: [UInt8]
    var output: String { String(decoding: bytes, as: UTF8.self) }
    let errors: String
}

let noon = Timestamp(rfc3339: "2026-03-04T12:00:00Z")!
let clock = WallClock(now: { noon })

private final class Written: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    var all: [UInt8] { bytes.withLock { $0 } }
}

/// Runs a command line as `userctl` would, at noon.
/// - Parameters:
///   - userd: nil for the socket of the command line.
///   - environment: the whole environment; the real one is not used.
///   - errorWidth: of stderr.
func userctl(
    _ arguments: [String], userd: UserdClient? = nil, environment: [String: String] = [:], width: Int? = nil,
    errorWidth: Int? = nil, charset: Charset = .unicode, pictures: PictureDrawing? = nil,
    caller: Person = .unknown,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
) async -> Ended {
    let (output, errors) = (Written(), Written())
    let console = Console(
        environment: environment.merging(userd == nil ? [:] : ["USERD_SOCKET": "/mock"]) { $1 },
        clock: clock, sleep: sleep,
        output: .init(width: width, charset: charset, pictures: pictures, send: { output.append($0) }),
        errors: .init(width: errorWidth, charset: charset, send: { errors.append($0) }),
        userd: { userd ?? .live(socket: $0) }, person: caller)
    let code = await Console.$current.withValue(console) { await Userctl.execute(arguments) }
    return Ended(code: code, bytes: output.all, errors: String(decoding: errors.all, as: UTF8.self))
}

func userctl(
    _ arguments: String..., userd: UserdClient? = nil, environment: [String: String] = [:]
) async -> Ended {
    await userctl(arguments, userd: userd, environment: environment)
}

extension UserdClient {
    /// Fails the test at a call without a scripted answer. It knows nothing of managers, as an earlier version.
    static let untouched = {
        var client = UserdClient.unimplemented { Issue.record("\($0)") }
        client.listManagers = { _ in throw VarlinkError.methodNotFound("io.userd.ListManagers") }
        client.listReports = { _ in throw VarlinkError.methodNotFound("io.userd.ListReports") }
        return client
    }()
}

extension RawReplies<UserList> {
    /// - Parameter end: the error that ends the call after these pages.
    static func pages(_ pages: [String], end: VarlinkClientError? = nil) -> Self {
        RawReplies(forEach: { body in
            for page in pages {
                guard try body(RawReply(Array(page.utf8), to: .listUsers)) == .proceed else { return }
            }
            if let end { throw end }
        })
    }
}

/// Records an endpoint's calls, and answers them.
final class Asked<Parameters: Sendable>: Sendable {
    private let parameters = Mutex<[Parameters]>([])

    var all: [Parameters] { parameters.withLock { $0 } }

    @Sendable func note(_ asked: Parameters) { parameters.withLock { $0.append(asked) } }

    func answering<Output>(
        _ method: UserdMethod<Parameters, Output>, _ output: Output
    ) throws -> UserdClient.Call<Parameters, Output> {
        answering(method, String(decoding: try encoded(output), as: UTF8.self))
    }

    /// - Parameter json: the exact bytes.
    func answering<Output>(
        _ method: UserdMethod<Parameters, Output>, _ json: String
    ) -> UserdClient.Call<Parameters, Output> {
        { asked in
            self.parameters.withLock { $0.append(asked) }
            return RawReply(Array(json.utf8), to: method)
        }
    }

    /// States, then a closed connection, as when userd ends.
    func following(_ states: [State]) -> UserdClient.MoreCall<Parameters, WatchedState> {
        { asked in
            self.parameters.withLock { $0.append(asked) }
            return RawReplies(forEach: { body in
                for state in states {
                    guard try body(RawReply(WatchedState(state: state), to: .watch)) == .proceed else {
                        return
                    }
                }
                throw VarlinkClientError.closed
            })
        }
    }
}
