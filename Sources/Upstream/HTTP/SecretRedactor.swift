import FoundationEssentials
import Model
import Synchronization

/// Removes userd's own tokens and passwords, which an upstream may echo, from messages (and so from the log)
/// and from recordings: in plain text and in base64, in any mixture of the escapes of JSON and of addresses.
package final class SecretRedactor: Sendable {
    /// The spellings of each token, the longest first. The last token is the one learnt last.
    private let known = Mutex<[(token: String, spellings: [EscapedText])]>([])
    private let words = Mutex<[EscapedText]>([])
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
        words.withLock { $0 = long.flatMap(Self.spellings).sorted { $0.length > $1.length } }
    }

    package func removed(from text: String) -> String {
        let bytes = words.withLock { $0 }.reduce(removed(from: Array(text.utf8))) {
            $1.replaced(by: Self.word, in: $0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func removed(from bytes: [UInt8]) -> [UInt8] {
        known.withLock { $0.flatMap(\.spellings) }.reduce(bytes) { $1.replaced(by: Self.word, in: $0) }
    }

    private static func spellings(of token: String) -> [EscapedText] {
        let encoded = (0..<3).map { base64(of: token, after: $0) }
        let all = Set([token] + encoded + encoded.map(urlSafe))
        return all.map(EscapedText.init).sorted { $0.length > $1.length }
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
        error.failure.message = redactor.removed(from: error.failure.message)
        throw error
    }
}
