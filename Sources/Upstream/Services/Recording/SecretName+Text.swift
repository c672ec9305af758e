/// What names do in text that says of one thing what another is called.
extension SecretName {
    enum Part {
        /// Its value is the name of something, such as in `"name": "password"`.
        case name
        /// It has the value of what is named beside it.
        case value
        /// The same, in a tag.
        case content
        /// Of a header that has several words.
        case header
        /// In a header, before credentials: RFC 9110, section 11.
        case scheme
    }

    var part: Part? {
        if let part = Self.partsOfText[letters] { return part }
        let isHeader = Self.headers.contains { letters.suffix($0.count).elementsEqual($0) }
        return isHeader ? .header : nil
    }

    /// Whether it is made of a secret, and says nothing where that is not known.
    var isDigest: Bool { Self.loginMembers.contains(letters) || letters.elementsEqual("hash".utf8) }

    /// Whether it may stand as a value, and then names a secret: `user_password`, and not `token_expired`, nor what upstreams
    /// of users call a document of theirs, such as `"name": "SSN"`.
    var isNameOfSecret: Bool {
        !["ssn", "sid", "pin"].contains { letters.elementsEqual($0.utf8) }
            && (isKey || words.last.map { SecretName($0).isSecret } ?? false)
    }

    /// Whether any word may be its value.
    var isPassword: Bool { Self.passwords.contains { name in letters.contains(name) } }

    /// Whether digits alone may be its value.
    var isNumber: Bool {
        isSecret
            && ["pin", "otp", "code", "codes"].contains {
                letters.suffix($0.utf8.count).elementsEqual($0.utf8)
            }
    }

    /// Whether the word before it belongs to it: `API key`.
    var isHalf: Bool { ["key", "id", "code", "codes"].contains { letters.elementsEqual($0.utf8) } }

    /// `Set-Cookie`, and `HTTP_COOKIE` of CGI.
    private static let headers = ["authorization", "cookie", "cookies"].map { Array($0.utf8) }
    private static let passwords = ["passw", "passphrase", "secret", "pwd"].map { Array($0.utf8) }
    private static let partsOfText: [[UInt8]: Part] = [
        Part.name: [
            "name", "key", "field", "id", "label", "param", "parameter", "property", "propertyname", "header",
            "variable",
            "type", "attribute", "argument", "column", "path", "instancepath", "loc", "option", "setting",
            "kind",
            "autocomplete",
        ],
        .value: [
            "value", "values", "val", "input", "default", "defaultvalue", "given", "got", "actual",
            "received",
            "rejected", "rejectedvalue", "attemptedvalue", "invalidvalue",
        ],
        .content: ["content"],
        .scheme: ["basic", "bearer", "digest", "negotiate", "token", "apikey"],
    ].reduce(into: [:]) { result, names in
        for name in names.value { result[Array(name.utf8)] = names.key }
    }
}
