/// JSON to the letter of RFC 8259, from bytes that somebody else wrote.
///
/// Foundation's decoder takes trailing commas, byte order marks and repeated names, and what it makes of them differs
/// from what other readers make of them. What passes here means the same to everyone.
package enum StrictJSON {
    /// Throws where `bytes` are not exactly one JSON value with optional white space around it.
    ///
    /// Beyond the grammar this refuses what RFC 8259 lets a reader refuse: invalid UTF-8, a byte order mark, a name that
    /// occurs twice in one object (compared after unescaping), half a surrogate pair, and numbers beyond a `Double`.
    ///
    /// - Parameter maximumDepth: how many arrays and objects may be open at once; `[]` has the depth 1.
    package static func validate(
        _ bytes: some Collection<UInt8>, maximumDepth: Int
    ) throws(JSONSyntaxError) {
        let failure =
            bytes.withContiguousStorageIfAvailable { firstFailure(in: $0, maximumDepth: maximumDepth) }
            ?? Array(bytes).withUnsafeBufferPointer { firstFailure(in: $0, maximumDepth: maximumDepth) }
        if let failure { throw failure }
    }

    private static func firstFailure(
        in bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int
    ) -> JSONSyntaxError? {
        var scanner = JSONScanner(bytes: bytes, maximumDepth: maximumDepth)
        do {
            try scanner.scan()
            return nil
        } catch {
            return JSONSyntaxError(reason: error.reason, offset: error.offset, in: bytes)
        }
    }
}
