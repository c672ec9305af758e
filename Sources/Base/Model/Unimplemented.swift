/// What an endpoint does that nobody has given anything to do: it reports its name, and fails.
package struct Unimplemented: Error, Hashable, CustomStringConvertible {
    package var endpoint: String
    package var description: String { "\(endpoint) is not implemented" }

    package init(_ endpoint: String, _ report: ReportUnimplemented) {
        self.endpoint = endpoint
        report(self)
    }
}

/// Reports a call that was not expected. A test passes one that records an issue; without one the program stops.
package typealias ReportUnimplemented = @Sendable (Unimplemented) -> Void
