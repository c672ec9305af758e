import Model
import StrictJSON
import Varlink

/// The errors of io.userd with their parameters.
package enum UserdError: Error, Hashable, Sendable {
    case notFound(key: String)
    case ambiguous(key: String, ids: [String])
    case noFacts
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
    case fellBehind(epoch: String, index: Int)
    case invalidCursor(String)
    case upstreamFailed(Failure)
    case cacheUnavailable(message: String)

    /// For calls that wait when userd ends.
    package static let ending = cacheUnavailable(message: "userd is ending")
}

extension UserdError {
    /// Names of the errors in the interface.
    package enum Name: String, CaseIterable {
        case notFound = "NotFound"
        case ambiguous = "Ambiguous"
        case noFacts = "NoFacts"
        case sequenceGone = "SequenceGone"
        case fellBehind = "FellBehind"
        case invalidCursor = "InvalidCursor"
        case upstreamFailed = "UpstreamFailed"
        case cacheUnavailable = "CacheUnavailable"
    }

    /// Parameters of the errors, as named in the interface.
    private struct Parameters: Codable {
        var key: String?
        var ids: [String]?
        var epoch: String?
        var oldest: Int?
        var newest: Int?
        var index: Int?
        var cursor: String?
        var failure: Failure?
        var message: String?
    }

    /// The error as a Varlink error.
    package var wire: VarlinkError {
        switch self {
        case .notFound(let key): Self.wire(.notFound, Parameters(key: key))
        case .ambiguous(let key, let ids): Self.wire(.ambiguous, Parameters(key: key, ids: ids))
        case .noFacts: Self.wire(.noFacts, Parameters())
        case .sequenceGone(let epoch, let oldest, let newest):
            Self.wire(.sequenceGone, Parameters(epoch: epoch, oldest: oldest, newest: newest))
        case .fellBehind(let epoch, let index):
            Self.wire(.fellBehind, Parameters(epoch: epoch, index: index))
        case .invalidCursor(let cursor): Self.wire(.invalidCursor, Parameters(cursor: cursor))
        case .upstreamFailed(let failure): Self.wire(.upstreamFailed, Parameters(failure: failure))
        case .cacheUnavailable(let message): Self.wire(.cacheUnavailable, Parameters(message: message))
        }
    }

    private static func wire(_ name: Name, _ parameters: Parameters) -> VarlinkError {
        VarlinkError(
            name: UserdInterface.qualified(name.rawValue),
            parameters: (try? encoded(parameters)) ?? emptyParameters)
    }

    /// Nil if it is not an error of io.userd, or a parameter is missing.
    package init?(wire error: VarlinkError) {
        guard error.name.hasPrefix(UserdInterface.name + "."),
            let name = Name(rawValue: String(error.name.dropFirst(UserdInterface.name.count + 1))),
            let carried = try? decoded(Parameters.self, from: error.parameters),
            let error = Self.error(name, carried)
        else { return nil }
        self = error
    }

    private static func error(_ name: Name, _ carried: Parameters) -> UserdError? {
        switch name {
        case .notFound: carried.key.map { .notFound(key: $0) }
        case .ambiguous:
            if let key = carried.key, let ids = carried.ids { .ambiguous(key: key, ids: ids) } else { nil }
        case .noFacts: .noFacts
        case .sequenceGone:
            if let epoch = carried.epoch, let oldest = carried.oldest, let newest = carried.newest {
                .sequenceGone(epoch: epoch, oldest: oldest, newest: newest)
            } else {
                nil
            }
        case .fellBehind:
            if let epoch = carried.epoch, let index = carried.index {
                .fellBehind(epoch: epoch, index: index)
            } else {
                nil
            }
        case .invalidCursor: carried.cursor.map { .invalidCursor($0) }
        case .upstreamFailed: carried.failure.map { .upstreamFailed($0) }
        case .cacheUnavailable: carried.message.map { .cacheUnavailable(message: $0) }
        }
    }
}

/// Encodes as JSON; nil members are left out.
package func encoded(_ value: some Encodable) throws -> [UInt8] {
    try StrictJSON.encode(value)
}

/// - Parameter bytes: validated JSON, or the program's own.
package func decoded<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    try JSONValue(trusting: bytes).decode(type)
}
