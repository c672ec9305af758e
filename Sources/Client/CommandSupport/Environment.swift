import Glibc

/// A process's environment variables, read by name. userctl reads a handful: building a dictionary of all of them takes
/// longer than everything else before the call to userd.
package struct Environment: Sendable {
    /// Nil if it is not set.
    package var variable: @Sendable (_ name: String) -> String?
    package var all: @Sendable () -> [String: String]

    package subscript(name: String) -> String? { variable(name) }

    /// Nil if it is not set or empty.
    package func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
}

extension Environment {
    package init(_ variables: [String: String]) {
        self.init(variable: { variables[$0] }, all: { variables })
    }

    /// This process's environment. ProcessInfo is slower.
    static let ofProcess = Environment(
        variable: { getenv($0).map { String(cString: $0) } },
        all: {
            var variables: [String: String] = [:]
            var next = environ
            while let variable = next.pointee {
                let text = String(cString: variable)
                if let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                    variables[String(text[..<end])] = String(text[text.utf8.index(after: end)...])
                }
                next += 1
            }
            return variables
        })
}
