import FoundationEssentials
import Model
import Varlink

/// The errors of io.userd, with their parameters.
package enum UserdError: Error, Hashable, Sendable {
    case notFound(key: String)
    case ambiguous(key: String, ids: [String])
    case noFacts
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
    case fellBehind(epoch: String, index: Int)
    case invalidCursor(String)
    case upstreamFailed(Failure)
    case cacheUnavailable(message: String)
}

extension UserdError {
    /// What each error carries, as the interface names it.
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

    /// The error as it goes over the wire.
    package var wire: VarlinkError {
        switch self {
        case .notFound(let key): Self.wire("NotFound", Parameters(key: key))
        case .ambiguous(let key, let ids): Self.wire("Ambiguous", Parameters(key: key, ids: ids))
        case .noFacts: Self.wire("NoFacts", Parameters())
        case .sequenceGone(let epoch, let oldest, let newest):
            Self.wire("SequenceGone", Parameters(epoch: epoch, oldest: oldest, newest: newest))
        case .fellBehind(let epoch, let index):
            Self.wire("FellBehind", Parameters(epoch: epoch, index: index))
        case .invalidCursor(let cursor): Self.wire("InvalidCursor", Parameters(cursor: cursor))
        case .upstreamFailed(let failure): Self.wire("UpstreamFailed", Parameters(failure: failure))
        case .cacheUnavailable(let message): Self.wire("CacheUnavailable", Parameters(message: message))
        }
    }

    private static func wire(_ name: String, _ parameters: Parameters) -> VarlinkError {
        VarlinkError(
            name: UserdInterface.qualified(name), parameters: (try? encoded(parameters)) ?? emptyParameters)
    }

    /// Reads what a daemon answered; nil where it is no error of io.userd, or one without what it must carry.
    package init?(wire error: VarlinkError) {
        guard error.name.hasPrefix(UserdInterface.name + "."),
            let carried = try? decoded(Parameters.self, from: error.parameters)
        else { return nil }
        let name = error.name.dropFirst(UserdInterface.name.count + 1)
        switch (name, carried.key, carried.epoch) {
        case ("NotFound", let key?, _): self = .notFound(key: key)
        case ("Ambiguous", let key?, _): self = .ambiguous(key: key, ids: carried.ids ?? [])
        case ("NoFacts", _, _): self = .noFacts
        case ("SequenceGone", _, let epoch?):
            self = .sequenceGone(epoch: epoch, oldest: carried.oldest ?? 0, newest: carried.newest ?? 0)
        case ("FellBehind", _, let epoch?): self = .fellBehind(epoch: epoch, index: carried.index ?? 0)
        case ("InvalidCursor", _, _): self = .invalidCursor(carried.cursor ?? "")
        case ("UpstreamFailed", _, _):
            guard let failure = carried.failure else { return nil }
            self = .upstreamFailed(failure)
        case ("CacheUnavailable", _, _): self = .cacheUnavailable(message: carried.message ?? "")
        default: return nil
        }
    }
}

/// JSON as it goes over the wire: what is nil is left out.
package func encoded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
}

package func decoded<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
    try JSONDecoder().decode(type, from: Data(bytes))
}
