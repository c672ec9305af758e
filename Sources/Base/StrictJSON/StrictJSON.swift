/// Strict JSON (RFC 8259) for untrusted bytes.
///
/// Foundation's decoder accepts trailing commas, byte order marks and duplicate names, which other parsers read
/// differently. Text that passes here has one meaning.
package enum StrictJSON {
    /// Of one object: their names are kept until it ends.
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
        _ = try longValues(of: bytes, maximumDepth: maximumDepth)
    }

    /// Validates; indices are from the first byte on.
    static func longValues(
        of bytes: some Collection<UInt8>, maximumDepth: Int
    ) throws(JSONSyntaxError) -> LongValues {
        func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<LongValues, JSONSyntaxError> {
            self.scan(JSONScanner(bytes: bytes, maximumDepth: maximumDepth))
        }
        let scanned =
            bytes.withContiguousStorageIfAvailable(scan) ?? Array(bytes).withUnsafeBufferPointer(scan)
        return try scanned.get()
    }

    private static func scan(_ scanner: consuming JSONScanner) -> Result<LongValues, JSONSyntaxError> {
        var scanner = scanner
        do {
            try scanner.scan()
            return .success(scanner.longValues)
        } catch {
            return .failure(JSONSyntaxError(reason: error.reason, offset: error.offset, in: scanner.bytes))
        }
    }
}
