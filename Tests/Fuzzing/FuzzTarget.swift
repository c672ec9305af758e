/// What a fuzzer feeds with bytes of all kinds.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The bytes of a client.
    case connection
    /// An interface's text; behind a NUL, parameters.
    case interface
    /// A JSON text.
    case json

    /// Throws where something does not hold that holds for all bytes there are.
    package func run(_ bytes: [UInt8]) throws(BrokenInvariant) {
        switch self {
        case .connection: try checkConnection(bytes)
        case .interface: try checkInterface(bytes)
        case .json: try checkJSON(bytes)
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

/// What is said of a peer's bytes goes to logs and terminals.
func requirePrintable(_ text: String) throws(BrokenInvariant) {
    try require(text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }, "not printable: \(text.debugDescription)")
}
