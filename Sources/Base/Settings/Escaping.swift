import TextSafety

extension StringProtocol {
    /// On one line, with what would act on a terminal or end a YAML comment escaped as in a YAML double-quoted scalar.
    var visible: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnsafe { text += scalar.yamlEscape } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

extension String {
    /// A YAML double-quoted scalar (YAML 1.2.2, section 7.3.1).
    var quoted: String {
        var text = ""
        for character in self {
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return "\"\(text.visible)\""
    }

    /// For an error message: quoted, and no longer than somebody would read.
    var excerpt: String {
        count > 100 ? String(prefix(100)).quoted + "…" : quoted
    }
}

extension Unicode.Scalar {
    fileprivate var yamlEscape: String {
        let digits = String(value, radix: 16)
        let width = value > 0xFFFF ? 8 : 4
        return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.count) + digits
    }
}
