import Model

/// Texts for a report that anybody may read: words of userd's own messages, settings and formats, small numbers and times.
/// Everything else is `…`, and each host has another name. So it does not matter how something came into a message.
package struct PublicText {
    private static let words = Set(
        String(decoding: PackageResources.Words_txt, as: UTF8.self).split(whereSeparator: \.isWhitespace))
    private static let hidden = "…"
    /// Other names with a dot could be hosts.
    private static let dotted = Set(
        """
        users facts http limits retry carddav config userd .config .cache .local ServiceProviderConfig io org.varlink
        """.split(whereSeparator: \.isWhitespace))

    /// The number of each host, in the order in which they came.
    private var hosts: [Substring: Int] = [:]

    package init() {}

    /// A message. What stands between quotation marks came from somewhere else, even if userd uses the same words.
    package mutating func message(_ text: some StringProtocol) -> String {
        let marks = text.indices.filter { "\"“”".contains(text[$0]) }
        guard let first = marks.first, let last = marks.last, first < last else { return words(of: text) }
        return words(of: text[..<first] + "\"\(Self.hidden)\"" + text[text.index(after: last)...])
    }

    /// A line of `userd --print-config`: values of records, headers and requests are left out.
    package mutating func setting(_ line: String) -> String {
        let (value, origin) = line.divided(at: "  # ")
        let (name, text) = value.divided(at: ": ")
        guard !text.isEmpty else { return indented(line) }
        let isData = ["skip", "query", "headers", "body", "parameters", "user", "bind_dn", "client_id"]
            .contains(
                name.trimmingPrefix { $0 == " " })
        // Larger numbers are userd's own here.
        let isNumber = text.first?.isNumber == true && text.utf8.count <= 9 && text.allSatisfy(\.isNumber)
        let shown = isData && text != "\"\"" ? Self.hidden : isNumber ? String(text) : words(of: text)
        return indented(name) + ": " + shown + (origin.isEmpty ? "" : "  # " + words(of: origin))
    }

    private mutating func indented(_ text: some StringProtocol) -> String {
        String(text.prefix { $0 == " " }) + words(of: text)
    }

    private mutating func words(of text: some StringProtocol) -> String {
        var (shown, endsWithNumber): ([String], Bool) = ([], false)
        for word in text.split(separator: " ") {
            var word = self.word(Substring(word))
            // A telephone number may be written in groups.
            let isNumber = word.allSatisfy { $0.isNumber || "+()-,.".contains($0) }
            if isNumber, endsWithNumber {
                if shown.last != Self.hidden { shown.removeLast() }
                word = Self.hidden + word.drop { $0 != "," }
            }
            endsWithNumber = isNumber
            if word.hasPrefix(Self.hidden), shown.last == Self.hidden { shown.removeLast() }
            shown.append(word)
        }
        return shown.joined(separator: " ")
    }

    private mutating func word(_ text: Substring) -> String {
        func isMark(_ character: Character) -> Bool { "()[]{}<>,;:.!?\"'`“”‘’…#*-→—".contains(character) }
        guard let start = text.firstIndex(where: { !isMark($0) }),
            let end = text.lastIndex(where: { !isMark($0) })
        else { return String(text) }
        return String(text[..<start]) + shown(text[start...end]) + String(text[text.index(after: end)...])
    }

    private mutating func shown(_ core: Substring) -> String {
        if let scheme = core.firstRange(of: "://") { return address(core, scheme) }
        if let number = hosts[Substring(String(core).asciiLowercased)] { return "host\(number).example" }
        if let equals = core.firstIndex(of: "="), equals == core.lastIndex(of: "=") {
            return word(core[..<equals]) + "=" + word(core[core.index(after: equals)...])
        }
        return isKnown(core) || isNumber(core) ? String(core) : Self.hidden
    }

    private func isKnown(_ core: Substring) -> Bool {
        let isDotted = core.contains(".") && !"/~".contains(core.prefix(1))
        guard core.count(where: \.isNumber) <= 3, !isDotted || Self.dotted.contains(core.prefix { $0 != "." })
        else { return false }
        return core.split { "-_/+.:@~[]()|&".contains($0) }.allSatisfy { part in
            let word = Substring(String(part.filter { !$0.isNumber }).asciiLowercased)
            return word.utf8.count <= 1 && word.allSatisfy(\.isASCII) || Self.words.contains(word)
        }
    }

    /// Whether this is a small number, a version, a quantity such as 0.5 or 64MiB, or a time.
    private func isNumber(_ core: Substring) -> Bool {
        core.count(where: \.isNumber) <= 4
            && core.wholeMatch(of: /\d{1,3}(\.\d{1,3}){0,2}(s|ms|min|h|d|%|B|KiB|MiB|GiB)?/) != nil
            || core.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:.]{8,15}([+-]\d\d:?\d\d|Z)/) != nil
    }

    private mutating func address(_ core: Substring, _ scheme: Range<Substring.Index>) -> String {
        let rest = core[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@").last ?? ""
        let port = place.last == "]" ? nil : place.split(separator: ":").dropFirst().last
        let host = port.map { place.dropLast($0.utf8.count + 1) } ?? place
        let isLocal = ["localhost", "127.0.0.1", "[::1]", ""].contains(host)
        let name = isLocal ? String(host) : "host\(number(of: host)).example"
        let path = rest.dropFirst(authority.count)
        let (steps, query) = path.divided(at: "?")
        let segments = steps.split(separator: "/", omittingEmptySubsequences: false).map {
            isKnown($0) ? $0 : "…"
        }
        return word(core[..<scheme.lowerBound]) + "://" + name
            + (port.flatMap { UInt16($0) }.map { ":\($0)" } ?? "") + segments.joined(separator: "/")
            + (query.isEmpty ? "" : "?" + Self.hidden)
    }

    private mutating func number(of host: Substring) -> Int {
        let host = Substring(String(host).asciiLowercased)
        let number = hosts[host] ?? hosts.count + 1
        hosts[host] = number
        return number
    }
}

extension StringProtocol {
    /// The parts before and after the first separator; the second is empty without one.
    fileprivate func divided(at separator: String) -> (Substring, Substring) {
        let text = Substring(self)
        guard let range = text.firstRange(of: separator) else { return (text, "") }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }
}
