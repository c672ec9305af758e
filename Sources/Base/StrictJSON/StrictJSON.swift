/// Strict JSON (RFC 8259) for untrusted bytes. Foundation's decoder accepts trailing commas, byte order marks
/// and duplicate names, which other parsers read differently. Text that passes here has one meaning.
///
/// In: bytes of an upstream, a client or a file.
/// Out: values that point into these bytes (JSONValue.swift), only the members that a reader names
/// (RecordReader.swift), or an error with its place. Also: decoding into types, and writing.
///
/// Start: JSONScanner.swift checks, JSONValue.swift and JSONValue+Decoding.swift read,
/// StrictJSON+Encoding.swift and JSONObjectWriter.swift write. Pointer.swift is the path to a member (RFC
/// 6901).
///
/// Threads: all functions are pure, and run on the caller's thread.
package enum StrictJSON {
    /// Maximum number of members of one object, whose names are kept until it ends.
    package static let maximumMembers = 10_000

    /// Throws unless `bytes` are exactly one JSON value, with optional white space around it.
    ///
    /// Also refuses what RFC 8259 lets a parser refuse: invalid UTF-8, a byte order mark, duplicate names in an
    /// object (compared after unescaping), too many members of one object, unpaired surrogates, and numbers outside the
    /// range of a `Double`.
    ///
    /// - Parameter maximumDepth: maximum number of arrays and objects open at once; `[]` has depth 1.
    package static func validate(
        _ bytes: some Collection<UInt8>, maximumDepth: Int
    ) throws(JSONSyntaxError) {
        try scan(bytes, maximumDepth: maximumDepth, leniently: false)
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    static func scan(
        _ bytes: some Collection<UInt8>, maximumDepth: Int, leniently isLenient: Bool
    ) throws(JSONSyntaxError) {
        func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONSyntaxError? {
            var scanner = JSONScanner(bytes: bytes, maximumDepth: maximumDepth, isLenient: isLenient)
            do throws(JSONScanner.Failure) { try scanner.scan() } catch {
                return JSONSyntaxError(reason: error.reason, offset: error.offset, in: bytes)
            }
            return nil
        }
        let error = bytes.withContiguousStorageIfAvailable(scan) ?? Array(bytes).withUnsafeBufferPointer(scan)
        if let error { throw error }
    }
}
