package struct Unimplemented: Error, Hashable, CustomStringConvertible {
    package var endpoint: String
    package var description: String { "\(endpoint) is not implemented" }

    package init(_ endpoint: String, _ report: ReportUnimplemented) {
        self.endpoint = endpoint
        report(self)
    }
}

/// Reports an unexpected call. Tests pass one that records an issue; the default stops the program.
package typealias ReportUnimplemented = @Sendable (Unimplemented) -> Void
