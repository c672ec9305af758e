/// The parsers that a fuzzer feeds with random bytes.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Bytes from a client.
    case connection
    /// An interface's text; after a NUL, parameters.
    case interface
    /// A JSON text.
    case json
    /// Bytes from an upstream, a name server or a browser: headers, addresses, answers.
    case upstream

    /// Throws if an invariant is broken that must hold for any bytes.
    package func run(_ bytes: [UInt8]) throws(BrokenInvariant) {
        switch self {
        case .connection: try checkConnection(bytes)
        case .interface: try checkInterface(bytes)
        case .json: try checkJSON(bytes)
        case .upstream: try checkUpstream(bytes)
        }
    }
}

package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String
}

func require(
    _ condition: Bool, _ invariant: @autoclosure () -> String
) throws(BrokenInvariant) {
    guard condition else { throw BrokenInvariant(description: invariant()) }
}

/// Descriptions of a peer's bytes go to logs and terminals.
func requirePrintable(_ text: String) throws(BrokenInvariant) {
    try require(text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }, "not printable: \(text.debugDescription)")
}
