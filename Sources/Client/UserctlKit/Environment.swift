import Glibc

/// The variables of a process, asked for by name. Userctl asks for a handful: a dictionary of all takes longer to set up
/// than everything else that it does before it asks userd.
package struct Environment: Sendable {
    /// Nil for one that is not set.
    package var variable: @Sendable (_ name: String) -> String?
    package var all: @Sendable () -> [String: String]

    package subscript(name: String) -> String? { variable(name) }

    /// Nil also for one that is set to nothing, as most programs take it.
    package func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
}

extension Environment {
    package init(_ variables: [String: String]) {
        self.init(variable: { variables[$0] }, all: { variables })
    }

    /// Of this process. Foundation's takes longer still.
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
