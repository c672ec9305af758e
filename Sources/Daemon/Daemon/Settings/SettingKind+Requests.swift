import Platform
import YAML

extension Settings {
    /// Headers to send with each request for users.
    struct Headers: Sendable {
        enum Value: Sendable {
            case text(String)
            case file(SecretPath)
        }

        let all: [(name: String, value: Value)]

        subscript(_ name: String) -> Value? {
            all.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// Whether headers of this name hold no secret. Answers contain the same words.
        static func areOpen(_ name: String) -> Bool {
            ["accept", "accept-language", "content-type"].contains(name.lowercased())
        }

        var files: [SecretPath] {
            all.compactMap { if case .file(let path) = $0.value { path } else { nil } }
        }

        /// The headers as YAML.
        fileprivate func written(
            _ text: (String) -> String = \.quoted, _ file: (SecretPath) -> String = \.text
        ) -> String {
            let members = all.map { name, value in
                switch value {
                case .text(let value): "\(name.quoted): \(text(value))"
                case .file(let path): "\(name.quoted): {file: \(file(path).quoted)}"
                }
            }
            return "{\(members.joined(separator: ", "))}"
        }
    }
}

extension SettingKind<Settings.Headers?> {
    static let headers: Self = {
        let structure = SettingKind<YAMLNode?>.structure(
            "names of headers with their values, or with files that hold them, such as {X-Api-Key: {file: ~/key}}",
            isSecret: true)
        return SettingKind(
            placeholder: structure.placeholder, expected: structure.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                var names: Set<String> = []
                let all = try structure.members(of: given, "headers") { member throws(InvalidValue) in
                    guard names.insert(try headerName(member.name)).inserted else {
                        throw InvalidValue(problem: "is given twice")
                    }
                    return (name: member.name, value: try headerValue(member.value, home: given.home))
                }
                return all.map { Settings.Headers(all: $0) }
            },
            write: { $0?.written() }, shown: { $0?.written({ _ in "REDACTED" }, \.description) })
    }()
}

/// Returns the name in lower case.
private func headerName(_ name: String) throws(InvalidValue) -> String {
    let name = name.lowercased()
    let isName = name.utf8.allSatisfy { byte in
        0x61...0x7A ~= byte || 0x30...0x39 ~= byte || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
    guard isName, 1...100 ~= name.utf8.count else {
        throw InvalidValue(problem: "is not the name of a header")
    }
    guard !ownHeaders.contains(name), !name.hasPrefix("proxy-") else {
        throw InvalidValue(problem: "can't be set, since userd or the connection sets it")
    }
    return name
}

/// Headers that belong to the connection, or that userd sets itself.
private let ownHeaders: Set = [
    "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te",
    "trailer", "transfer-encoding", "upgrade",
]

private func headerValue(_ node: YAMLNode, home: String) throws(InvalidValue) -> Settings.Headers.Value {
    if let path = node.file {
        guard !path.isEmpty else { throw InvalidValue(problem: "names no file") }
        return .file(SecretPath(path.hasPrefix("~/") ? home + path.dropFirst() : path))
    }
    guard case .scalar(let text, _) = node.content else {
        throw InvalidValue(problem: "has \(node.noun) that does not name a file")
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), !text.hasPrefix(" "),
        !text.hasSuffix(" ")
    else { throw InvalidValue(problem: "has a value that is not one line of ASCII characters") }
    return .text(text)
}

extension SettingKind<Settings.Grant?> {
    static let grant = SettingKind<Settings.Grant>.word().orNothing("or empty for the default")
}

extension SettingKind<Settings.Parameters?> {
    static let parameters: Self = {
        let structure = SettingKind<YAMLNode?>.structure(
            "names of parameters with their values, such as {audience: https://api.example.org}",
            isSecret: true)
        return SettingKind(
            placeholder: structure.placeholder, expected: structure.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                let all = try structure.members(of: given, "parameters") { member throws(InvalidValue) in
                    (name: member.name, value: try parameterValue(member))
                }
                return all.flatMap { $0.isEmpty ? nil : Settings.Parameters(all: $0) }
            },
            write: { $0?.written(\.quoted) }, shown: { $0?.written { _ in "REDACTED" } })
    }()
}

/// Parameters of OAuth that userd sets for each request.
private let ownParameters: Set = [
    "client_id", "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier",
    "device_code", "grant_type", "nonce", "redirect_uri", "refresh_token", "response_mode", "response_type",
    "scope", "state", "token", "token_type_hint",
]

private func parameterValue(_ member: YAMLMember) throws(InvalidValue) -> String {
    guard !ownParameters.contains(member.name) else {
        throw InvalidValue(problem: "can't be set, since userd sets it")
    }
    if member.name == "prompt", member.value.isNull { return "" }
    guard case .scalar(let text, _) = member.value.content, !member.value.isNull else {
        throw InvalidValue(problem: "has \(member.value.noun), not a text")
    }
    guard 1...100 ~= member.name.utf8.count, 1...2048 ~= text.utf8.count,
        (member.name + text).utf8.allSatisfy({ 0x20...0x7E ~= $0 })
    else { throw InvalidValue(problem: "is not one line of ASCII characters") }
    return text
}

extension YAMLNode {
    fileprivate var file: String? {
        guard case .mapping(let members) = content, members.count == 1, members[0].name == "file",
            case .scalar(let path, _) = members[0].value.content
        else { return nil }
        return path
    }

    /// JSON with only its names, or as much of a form as a replay needs to add pages to it.
    var textWithoutValues: String {
        if case .scalar(let text, _) = content {
            if "{[".contains(text.first ?? " "), let json = try? YAMLNode.document(Array(text.utf8)) {
                return json.textWithoutValues
            }
            return text.contains("=") ? "REDACTED=REDACTED".quoted : "REDACTED"
        }
        return flowText { node in
            if case .scalar = node.content, !node.isNull { "REDACTED" } else { nil }
        }
    }
}
