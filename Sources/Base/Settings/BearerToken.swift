/// A secret that says to an upstream who asks (RFC 6750). It prints as nothing that would give it away.
package struct BearerToken: Sendable, Equatable, CustomStringConvertible {
    package let value: String

    package var description: String { "<redacted>" }

    static let maximumBytes = 64 << 10

    /// Reads the token that a file holds, alone but for a newline at its end. `warnings`, one line each, are for the log.
    /// No error and no warning shows any part of what the file holds.
    package static func read(fromFile path: String) throws(SettingsError) -> (token: Self, warnings: [String])
    {
        guard let file = try SmallFile(path, atMost: maximumBytes + 1) else {
            throw SettingsError("users.token_file", "there is no file \(path.excerpt)")
        }
        let token = try BearerToken(file.bytes, path: path)
        let isShared = file.mode & 0o077 != 0
        let warning =
            "users.token_file: \(path.excerpt) is not its owner's alone; chmod 600 makes it so"
        return (token, isShared ? [warning] : [])
    }

    private init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        func failure(_ reason: String) -> SettingsError {
            SettingsError("users.token_file", "\(path.excerpt) \(reason)")
        }
        guard bytes.count <= Self.maximumBytes else { throw failure("is larger than 64 KiB") }
        var token = bytes[...]
        if token.last == UInt8(ascii: "\n") { token.removeLast() }
        if token.last == UInt8(ascii: "\r") { token.removeLast() }
        if token.isEmpty { throw failure("is empty") }
        guard token.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw failure(
                "holds more than a token, which is made of visible ASCII characters; "
                    + "write it alone, without \"Bearer\" and without spaces")
        }
        value = String(decoding: token, as: UTF8.self)
    }
}
