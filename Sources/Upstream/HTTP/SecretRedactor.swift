import FoundationEssentials
import Glibc
import Model
import StrictJSON
import Synchronization

/// Removes userd's own tokens and passwords, which an upstream may echo, from messages (and so from the log)
/// and from recordings: in plain text, percent-encoded and in base64.
package final class SecretRedactor: Sendable {
    /// The spellings of each token, the longest first. The last token is the one learnt last.
    private let known = Mutex<[(token: String, spellings: [[UInt8]])]>([])
    private let words = Mutex<[[UInt8]]>([])
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
        words.withLock { $0 = long.flatMap(Self.spellings).sorted { $0.count > $1.count } }
    }

    package func removed(from text: String) -> String {
        let bytes = words.withLock { $0 }.reduce(removed(from: Array(text.utf8))) {
            Self.replacing($1, in: $0)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func removed(from bytes: [UInt8]) -> [UInt8] {
        known.withLock { $0.flatMap(\.spellings) }.reduce(bytes) { Self.replacing($1, in: $0) }
    }

    private static func spellings(of token: String) -> [[UInt8]] {
        let texts = [
            token, String(decoding: StrictJSON.quoted(token).dropFirst().dropLast(), as: UTF8.self),
            percentEncoded(token[...], keeping: isUnreserved),
            percentEncoded(token[...]) { isUnreserved($0) || $0 == UInt8(ascii: "/") },
        ]
        let encoded = (0..<3).map { base64(of: token, after: $0) }
        let all = Set((texts + encoded + encoded.map(urlSafe)).map { Array($0.utf8) })
        return all.sorted { $0.count > $1.count }
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

    private static func replacing(_ needle: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return [] }
            var (result, start) = ([UInt8](), 0)
            var index = 0
            while index + needle.count <= all.count,
                let found = memchr(base + index, Int32(needle[0]), all.count - needle.count - index + 1)
            {
                let here = UnsafeRawPointer(found) - base
                index = here + 1
                guard isEqual(all[here..<(here + needle.count)], needle) else { continue }
                result += all[start..<here] + word
                start = here + needle.count
                index = start
            }
            return start == 0 ? bytes : result + all[start...]
        }
    }

    /// The digits of an escape, such as `%2f`, may be in either case.
    private static func isEqual(_ found: some Sequence<UInt8>, _ needle: [UInt8]) -> Bool {
        var sinceEscape = 2
        for (byte, wanted) in zip(found, needle) {
            guard byte == wanted || sinceEscape < 2 && byte | 0x20 == wanted | 0x20 else { return false }
            sinceEscape = wanted == UInt8(ascii: "%") ? 0 : sinceEscape + 1
        }
        return true
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
