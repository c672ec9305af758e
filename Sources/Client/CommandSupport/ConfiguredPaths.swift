import Glibc

/// The socket and the cache file that userd's config.yaml names.
///
/// userctl has no YAML reader. It reads what people write: a line that begins with `socket:` or `database:` and has the
/// whole value, plain or quoted, as an absolute path or one with `~/`. YAML has other ways to write them; with those,
/// userctl uses its usual paths, and `userctl doctor` says so.
package struct ConfiguredPaths: Equatable {
    package var socket: String?
    package var database: String?

    /// - Parameter home: replaces `~` at the beginning; nil if it is unknown.
    package init(_ file: [UInt8], home: String?) {
        for line in file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = String(decoding: line, as: UTF8.self)
            if let value = value(of: "socket:", line) { socket = path(value, home) }
            if let value = value(of: "database:", line) { database = path(value, home) }
        }
    }
}

private func value(of key: String, _ line: String) -> Substring? {
    guard line.hasPrefix(key) else { return nil }
    let rest = line.dropFirst(key.count)
    guard rest.first == " " || rest.first == "\t" else { return nil }
    return rest.drop { $0 == " " || $0 == "\t" }
}

/// Nil if it is no absolute path, or has what YAML would replace.
private func path(_ value: Substring, _ home: String?) -> String? {
    var path = value
    if let quote = value.first, quote == "\"" || quote == "'" {
        guard let end = value.dropFirst().firstIndex(of: quote) else { return nil }
        let rest = value[value.index(after: end)...].drop { $0 == " " || $0 == "\t" }
        guard rest.isEmpty || rest.first == "#" else { return nil }
        path = value[..<end].dropFirst()
        if quote == "\"", path.contains("\\") { return nil }
    } else {
        for comment in [" #", "\t#"] {
            path = path.firstRange(of: comment).map { path[..<$0.lowerBound] } ?? path
        }
        guard !path.contains(": ") else { return nil }
        while path.last == " " || path.last == "\t" { path = path.dropLast() }
    }
    if path.hasPrefix("~/") { return home.map { $0 + path.dropFirst() } }
    return path.hasPrefix("/") ? String(path) : nil
}

/// Reads a configuration file; nil where there is none, or a larger one than userd reads.
package let configurationFile: @Sendable (_ path: String) -> [UInt8]? = { path in
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= 1 << 20 else {
        return nil
    }
    return [UInt8](unsafeUninitializedCapacity: Int(facts.st_size)) { bytes, count in
        while count < bytes.count {
            let more = read(file, bytes.baseAddress! + count, bytes.count - count)
            guard more > 0 else { return }
            count += more
        }
    }
}
