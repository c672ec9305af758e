import FoundationEssentials
import Model
import Synchronization

/// Removes userd's own tokens and passwords, which an upstream may echo, from messages (and so from the log)
/// and from recordings: in plain text and in base64, in any mixture of the escapes of JSON and of addresses.
///
/// Settings hide their secrets themselves (Secret.swift), secrets go only where SecretDirections.swift lets them, and a report
/// has userd's own words alone (PublicText.swift).
package final class SecretRedactor: Sendable {
    /// The spellings of each token. The last token is the one learnt last.
    private let known = Mutex<[(token: String, spellings: Set<[UInt8]>)]>([])
    private let words = Mutex<Set<[UInt8]>>([])
    /// Tokens kept; an endpoint may issue a new one every minute.
    private static let most = 32
    /// In bytes; shorter tokens would be found in any text.
    private static let shortest = 6
    /// Replaces the token.
    private static let word = Array("REDACTED".utf8)

    package init() {}

    /// - Parameter token: sent from now on. Earlier ones are still removed.
    package func learn(_ token: String) {
        guard token.utf8.count >= Self.shortest else { return }
        known.withLock { known in
            let index = known.firstIndex { $0.token == token }
            let entry = index.map { known.remove(at: $0) } ?? (token, Self.spellings(of: token))
            known = known.suffix(Self.most - 1) + [entry]
        }
    }

    /// - Parameter words: texts of a request's body; they replace those of an earlier one. They are removed
    ///   from messages only, because answers have them as names and values, too.
    package func learn(words new: [String]) {
        let long = new.filter { $0.utf8.count >= Self.shortest }
        words.withLock { $0 = Set(long.flatMap(Self.spellings)) }
    }

    package func removed(from text: String) -> String {
        let bytes = removed(words.withLock { $0 }, from: Array(text.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    package func removed(from bytes: [UInt8]) -> [UInt8] { removed([], from: bytes) }

    private func removed(_ words: Set<[UInt8]>, from bytes: [UInt8]) -> [UInt8] {
        let all = known.withLock { $0.reduce(into: words) { $0.formUnion($1.spellings) } }
        let texts = [UnescapedText(bytes), UnescapedText(bytes, levels: 0)]
        let found = texts.flatMap { text in all.flatMap(text.ranges) }
        var (result, copied) = ([UInt8](), 0)
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) where copied < range.upperBound {
            if copied <= range.lowerBound { result += bytes[copied..<range.lowerBound] + Self.word }
            copied = range.upperBound
        }
        return result + bytes[copied...]
    }

    private static func spellings(of token: String) -> Set<[UInt8]> {
        let encoded = (0..<3).map { base64(of: token, after: $0) }
        let all = ([token] + encoded + encoded.map(urlSafe)).map { Array($0.utf8) }
        // A token may have what looks like an escape.
        return Set((all + all.map { UnescapedText($0).bytes }).filter { $0.count >= shortest })
    }

    /// The base64 of the token within a longer text.
    /// - Parameter count: bytes before it in its first group of three.
    private static func base64(of token: String, after count: Int) -> String {
        let bytes = [UInt8](repeating: 0, count: count) + token.utf8
        // Drops characters that also depend on the bytes before or after it.
        let text = Data(bytes).base64EncodedString()
        return String(text.prefix(bytes.count * 8 / 6).dropFirst((count * 8 + 5) / 6))
    }

    private static func urlSafe(_ base64: String) -> String {
        String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}

/// Removes secrets from the message of a failure.
package func withRedactedMessages<Value>(
    _ redactor: SecretRedactor, _ ask: () async throws -> Value
) async throws -> Value {
    do { return try await ask() } catch var error as UpstreamError {
        error.failure.reason = redactor.removed(from: error.failure.reason)
        throw error
    }
}
