import StrictJSON
import Varlink
import VarlinkFixtures

func checkInterface(_ input: [UInt8]) throws(BrokenInvariant) {
    let text = input.prefix { $0 != 0 }
    let interface: Interface
    do {
        interface = try Interface(parsing: String(decoding: text, as: UTF8.self))
    } catch {
        return try requirePlace(error, in: Array(String(decoding: text, as: UTF8.self).utf8))
    }
    try requireSame(interface)
    if let parameters = try? JSONValue(validating: input.dropFirst(text.count + 1), maximumDepth: 16) {
        try check(parameters, against: interface)
    }
}

private func requirePlace(_ error: InterfaceSyntaxError, in text: [UInt8]) throws(BrokenInvariant) {
    try requirePrintable(error.description)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    try require(lines.indices.contains(error.line - 1), "line \(error.line) of \(lines.count)")
    try require(1...lines[error.line - 1].count + 1 ~= error.column, "column \(error.column) of its line")
}

/// Rendering an interface and parsing that must give the same interface.
private func requireSame(_ interface: Interface) throws(BrokenInvariant) {
    let text = interface.rendered
    let again: Interface
    do { again = try Interface(parsing: text) } catch {
        throw BrokenInvariant(description: "\(error) in \(text)")
    }
    try require(again == interface && again.rendered == text, "not the same: \(text)")
}

private func check(_ parameters: JSONValue, against interface: Interface) throws(BrokenInvariant) {
    let all = interface.methods.flatMap { [$0.input, $0.output] } + interface.errors.map(\.fields)
    let given = (parameters.members ?? []).map { Array($0.name.utf8) }
    for fields in all {
        let declared = fields.map { Array($0.name.utf8) }
        if let name = interface.invalidParameter(in: parameters, fields: fields) {
            try require(
                (given + declared).contains(Array(name.utf8)), "\(name) is neither there nor declared")
        } else {
            try require(given.allSatisfy(declared.contains), "what is not declared is taken")
        }
    }
}
