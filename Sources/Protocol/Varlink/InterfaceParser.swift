extension Interface {
    /// Parses a description in the grammar of varlink.org ("Interface Definition").
    package init(parsing text: String) throws(InterfaceSyntaxError) {
        var parser = try InterfaceParser(text)
        self = try parser.parse()
    }
}

private struct InterfaceParser {
    typealias Token = InterfaceLexer.Token

    /// Limits recursion on nested types.
    private static let maximumDepth = 32

    private var lexer: InterfaceLexer
    private var token: Token
    private var depth = 0
    /// Types may be used before their definition, so references are checked at the end.
    private var references: [Token] = []

    init(_ text: String) throws(InterfaceSyntaxError) {
        lexer = InterfaceLexer(text)
        token = try lexer.next()
    }

    mutating func parse() throws(InterfaceSyntaxError) -> Interface {
        let documentation = token.documentation
        try expect("interface")
        let name = try word("an interface's name such as org.example", where: isInterfaceName)
        var types: [Interface.TypeDefinition] = []
        var methods: [Interface.Method] = []
        var errors: [Interface.ErrorDefinition] = []
        var defined: Set<String> = []
        while token.kind != .end {
            let keyword = token
            guard ["type", "method", "error"].contains(keyword.text) else {
                throw unexpected("type, method or error")
            }
            try advance()
            let nameToken = token
            let name = try word("a name that begins with a capital letter", where: isDefinitionName)
            guard defined.insert(name).inserted else {
                throw failure("\(name) is defined twice", at: nameToken)
            }
            switch keyword.text {
            case "type":
                types.append(
                    .init(
                        name: name, documentation: keyword.documentation, type: try structureOrEnumeration()))
            case "method":
                let input = try structure()
                try expect("->")
                methods.append(
                    .init(
                        name: name, documentation: keyword.documentation, input: input,
                        output: try structure()))
            default:
                errors.append(
                    .init(name: name, documentation: keyword.documentation, fields: try structure()))
            }
        }
        for reference in references where !types.contains(where: { $0.name == reference.text }) {
            throw failure("no type \(reference.text) is defined", at: reference)
        }
        return Interface(
            name: name, documentation: documentation, types: types, methods: methods, errors: errors)
    }

    private mutating func structure() throws(InterfaceSyntaxError) -> [Interface.Field] {
        let start = token
        guard case .structure(let fields) = try structureOrEnumeration() else {
            throw failure("each parameter needs a type, as in name: type", at: start)
        }
        return fields
    }

    private mutating func structureOrEnumeration() throws(InterfaceSyntaxError) -> Interface.ValueType {
        try expect("(")
        if token.text == ")" {
            try advance()
            return .structure([])
        }
        var fields: [Interface.Field] = []
        var names: [String] = []
        while true {
            let nameToken = token
            let name = try word("a name", where: isFieldName)
            guard !names.contains(name) else { throw failure("\(name) occurs twice", at: nameToken) }
            if names.count == fields.count, token.text == ":" {
                try advance()
                fields.append(.init(name: name, type: try type()))
            } else if !fields.isEmpty {
                throw unexpected(":")
            }
            names.append(name)
            if token.text == ")" { break }
            try expect(",")
        }
        try advance()
        return fields.isEmpty ? .enumeration(names) : .structure(fields)
    }

    private mutating func type() throws(InterfaceSyntaxError) -> Interface.ValueType {
        guard depth < Self.maximumDepth else { throw failure("types are nested too deep", at: token) }
        depth += 1
        defer { depth -= 1 }
        if token.text == "(" { return try structureOrEnumeration() }
        let start = token
        try advance()
        switch start.text {
        case "?":
            if token.text == "?" { throw failure("?? is not allowed; write ?", at: token) }
            return .nullable(try type())
        case "[]": return .array(try type())
        case "[string]": return .dictionary(try type())
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case let name where isDefinitionName(name):
            references.append(start)
            return .reference(name)
        default:
            throw failure("expected a type, found \(start.text)", at: start)
        }
    }

    private mutating func advance() throws(InterfaceSyntaxError) {
        token = try lexer.next()
    }

    private mutating func expect(_ text: String) throws(InterfaceSyntaxError) {
        guard token.text == text else { throw unexpected(text) }
        try advance()
    }

    private mutating func word(
        _ expected: String, where isValid: (String) -> Bool
    ) throws(InterfaceSyntaxError) -> String {
        guard token.kind == .word, isValid(token.text) else { throw unexpected(expected) }
        let text = token.text
        try advance()
        return text
    }

    private func unexpected(_ expected: String) -> InterfaceSyntaxError {
        failure("expected \(expected), found \(token.text)", at: token)
    }

    private func failure(_ reason: String, at token: Token) -> InterfaceSyntaxError {
        InterfaceSyntaxError(line: token.line, column: token.column, reason: reason)
    }
}

/// `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`
private func isInterfaceName(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts[0].first?.isLetter == true
        && parts.allSatisfy { part in
            !part.isEmpty && part.first != "-" && part.last != "-" && !part.contains("_")
        }
}

/// `[A-Z][A-Za-z0-9]*`
private func isDefinitionName(_ name: String) -> Bool {
    name.first?.isUppercase == true && name.allSatisfy { $0.isLetter || $0.isNumber }
}

/// `[A-Za-z](_?[A-Za-z0-9])*`
private func isFieldName(_ name: String) -> Bool {
    name.first?.isLetter == true && name.last != "_" && !name.contains("__")
        && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
}
