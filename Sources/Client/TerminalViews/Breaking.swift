extension StringProtocol where SubSequence == Substring {
    /// The longest prefix of whole characters that is at most `limit` cells wide.
    func prefix(cells limit: Int) -> Substring {
        var width = 0
        return prefix { character in
            width += character.displayWidth
            return width <= limit
        }
    }
}

extension String {
    /// Lines of at most `limit` cells, broken at blanks, which are dropped. A word that is wider than a line is broken
    /// after `@` or else another sign, such as a full stop, if that fills half of the line; else anywhere. A limit below
    /// 2 counts as 2, the width of a wide character.
    func wrapped(to limit: Int) -> [Substring] {
        let limit = max(limit, 2)
        var lines: [Substring] = []
        var rest = self[...]
        repeat {
            let line = rest.firstLine(cells: limit)
            lines.append(line)
            rest = rest[line.endIndex...].drop { $0 == " " }
        } while !rest.isEmpty
        return lines
    }
}

extension String {
    /// Lines of at most `limit` cells, but for words that are wider: a word stays whole, so that it can be copied, and so does
    /// a command in backticks that fits a line.
    /// - Parameter indent: before further lines.
    package func filled(to limit: Int, indent: Int) -> [String] {
        let indent = min(indent, limit / 2)
        let words = matches(of: #/ *[^ `]*(?:`[^`]*`)?[^ ]*/#).map(\.output).flatMap { part in
            part.drop { $0 == " " }.displayWidth + indent <= limit
                ? [part] : part.matches(of: #/ *[^ ]*/#).map(\.output)
        }
        return words.reduce(into: [""]) { lines, word in
            let text = word.drop { $0 == " " }
            let line = lines[lines.count - 1]
            if text.isEmpty || line.allSatisfy({ $0 == " " }) || (line + word).displayWidth <= limit {
                lines[lines.count - 1] += word
            } else {
                lines.append(String(repeating: " ", count: indent) + text)
            }
        }
    }
}

extension Substring {
    fileprivate func firstLine(cells limit: Int) -> Substring {
        let fitting = prefix(cells: limit)
        if fitting.endIndex == endIndex || self[fitting.endIndex] == " " { return fitting }
        if let blank = fitting.lastIndex(of: " "), fitting[..<blank].contains(where: { $0 != " " }) {
            return fitting[..<blank]
        }
        for signs in ["@", ".-_/"] {
            guard let sign = fitting.lastIndex(where: signs.contains) else { continue }
            let part = fitting[...sign]
            if part.displayWidth * 2 >= limit { return part }
        }
        return fitting.isEmpty ? scalarPrefix(cells: limit) : fitting
    }

    /// Cuts a single character that is wider than a line, such as a run of leading Hangul consonants.
    private func scalarPrefix(cells limit: Int) -> Substring {
        var width = 0
        return Substring(
            unicodeScalars.prefix { scalar in
                width += scalar.displayWidth
                return width <= limit
            })
    }
}

extension String {
    /// Whether the text has characters of right-to-left scripts (Bidi_Class R or AL, by Unicode's blocks).
    var hasRightToLeft: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case ..<0x590: false
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
    }
}
