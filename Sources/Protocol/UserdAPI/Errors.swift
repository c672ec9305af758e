import Model
import StrictJSON
import Varlink

/// The errors of io.userd with their parameters.
///
/// Swift codes one as `{"NotFound":{"key":"x"}}`: the error's name and its parameters, both as in the
/// interface.
package enum UserdError: Error, Hashable, Sendable, Codable {
    case notFound(key: String)
    case ambiguous(key: String, ids: [String])
    case noFacts
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
    case fellBehind(epoch: String, index: Int)
    case invalidCursor(cursor: String)
    case upstreamFailed(failure: Failure)
    case cacheUnavailable(message: String)

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case notFound = "NotFound"
        case ambiguous = "Ambiguous"
        case noFacts = "NoFacts"
        case sequenceGone = "SequenceGone"
        case fellBehind = "FellBehind"
        case invalidCursor = "InvalidCursor"
        case upstreamFailed = "UpstreamFailed"
        case cacheUnavailable = "CacheUnavailable"
    }

    /// The error of calls that wait when userd ends.
    package static let ending = cacheUnavailable(message: "userd is ending")

    package var wire: VarlinkError {
        guard let json = try? encoded(self), let error = JSONValue(trusting: json).members?.first else {
            preconditionFailure("only a number that is not finite can't be encoded, and no error has one")
        }
        return VarlinkError(
            name: UserdInterface.qualified(error.name), parameters: Array(error.value.raw))
    }

    /// Nil if it is not an error of io.userd, or a parameter is missing.
    package init?(wire error: VarlinkError) {
        let prefix = UserdInterface.qualified("")
        guard error.name.hasPrefix(prefix) else { return nil }
        let name = String(error.name.dropFirst(prefix.count))
        let json = StrictJSON.object([(name, error.parameters)])
        guard let known = try? decoded(Self.self, from: json) else { return nil }
        self = known
    }
}

extension Failure {
    package static func turnedOff(_ resource: Resource) -> Failure {
        Failure(
            kind: .cancelled,
            message: "\(resource) are turned off: set \(resource).format, for example to catfact",
            retryable: false)
    }

    /// Answers whoever asks for a sync while no directory is named.
    package static let notConnected = Failure(
        kind: .cancelled,
        message: """
            not connected: `userctl connect example.org`, or `userctl connect demo` for twenty made-up users and cat facts
            """,
        retryable: false)
}

/// Encodes as JSON; nil members are left out.
package func encoded(_ value: some Encodable) throws -> [UInt8] {
    try StrictJSON.encode(value)
}

/// - Parameter bytes: validated JSON, or the program's own.
package func decoded<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    try JSONValue(trusting: bytes).decode(type)
}
