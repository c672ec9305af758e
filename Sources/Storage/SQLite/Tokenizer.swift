import CSQLite
import Glibc

/// A tokenizer of FTS5: splits texts into the words that a table with `tokenize = '…'` indexes.
/// https://www.sqlite.org/fts5.html#custom_tokenizers
package final class Tokenizer {
    private var functions = fts5_tokenizer()
    private var instance: OpaquePointer?

    /// - Parameter tokenize: as in the definition of the table: the tokenizer's name and its arguments.
    package init(_ tokenize: String, of connection: Connection) throws {
        let parts = tokenize.split(separator: " ").map(String.init)
        var context: UnsafeMutableRawPointer?
        guard let name = parts.first, let api = try Self.api(of: connection),
            api.pointee.xFindTokenizer(api, name, &context, &functions) == SQLITE_OK
        else { throw SQLiteError(code: SQLITE_MISUSE, message: "unknown tokenizer: \(tokenize)") }
        let arguments = parts.dropFirst().map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var pointers = arguments.map { UnsafePointer<CChar>($0) }
        let code = functions.xCreate(context, &pointers, Int32(pointers.count), &instance)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, message: "bad arguments of a tokenizer: \(tokenize)")
        }
    }

    deinit { if let instance { functions.xDelete(instance) } }

    package func tokens(of text: String) -> Tokens {
        var tokens = Tokens()
        var text = text
        text.withUTF8 { read($0, into: &tokens) }
        return tokens
    }

    /// - Parameter tokens: replaced; its memory is used again.
    package func read(_ text: UnsafeBufferPointer<UInt8>, into tokens: inout Tokens) {
        tokens.removeAll()
        withUnsafeMutablePointer(to: &tokens) { tokens in
            text.withMemoryRebound(to: CChar.self) { text in
                _ = functions.xTokenize(
                    instance, tokens, FTS5_TOKENIZE_DOCUMENT, text.baseAddress, Int32(text.count)
                ) { tokens, _, bytes, count, _, _ in
                    tokens?.assumingMemoryBound(to: Tokens.self).pointee.append(
                        UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                    return SQLITE_OK
                }
            }
        }
    }

    /// https://www.sqlite.org/fts5.html#extending_fts5
    private static func api(of connection: Connection) throws -> UnsafeMutablePointer<fts5_api>? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_prepare_v2(connection.handle, "SELECT fts5(?)", -1, &statement, nil)
        guard code == SQLITE_OK else { throw SQLiteError(connection.handle, code: code) }
        var api: UnsafeMutablePointer<fts5_api>?
        withUnsafeMutablePointer(to: &api) {
            _ = sqlite3_bind_pointer(statement, 1, $0, pointerType.utf8Start.asCharacters, nil)
            _ = sqlite3_step(statement)
        }
        return api
    }

    /// SQLite keeps its address.
    private static let pointerType: StaticString = "fts5_api_ptr"
}

extension UnsafePointer<UInt8> {
    fileprivate var asCharacters: UnsafePointer<CChar> {
        UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self)
    }
}

/// The words of one text, in order.
package struct Tokens: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    package init() {}

    package var count: Int { ends.count }

    /// Nil unless there is one.
    package var only: String? { count == 1 ? String(decoding: bytes, as: UTF8.self) : nil }

    fileprivate mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    fileprivate mutating func append(_ token: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: token)
        ends.append(bytes.count)
    }

    private subscript(index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Whether these words stand there one after the other; the last may be the beginning of a word.
    package func contains(phrase: Tokens) -> Bool {
        guard phrase.count > 0, phrase.count <= count else { return false }
        return (0...(count - phrase.count)).contains { start in
            phrase.ends.indices.allSatisfy { index in
                let (word, wanted) = (self[start + index], phrase[index])
                return word.starts(with: wanted)
                    && (index == phrase.count - 1 || word.count == wanted.count)
            }
        }
    }
}
