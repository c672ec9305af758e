import Model
import StrictJSON

/// Texts for a report that anybody may read: words of userd's own messages, settings and formats, small numbers and times.
/// Everything else is `…`, and each host has another name. So it does not matter how something came into a message.
struct PublicText {
    private static let words = Set(
        String(decoding: PackageResources.Words_txt, as: UTF8.self).split(whereSeparator: \.isWhitespace))
    private static let hidden = "…"
    /// Other names with a dot could be hosts.
    private static let dotted = Set(
        """
        users facts http limits retry carddav config userd .config .cache .local ServiceProviderConfig io org.varlink
        """.split(separator: " "))
    /// Settings with values of records and requests.
    private static let data: Set = [
        "skip", "query", "headers", "body", "parameters", "user", "bind_dn", "client_id", "me",
        "actions",
    ]

    /// The number of each host, in the order in which they came.
    private var hosts: [Substring: Int] = [:]

    /// A message. What stands between quotation marks came from somewhere else, even if userd uses the same words.
    mutating func message(_ text: some StringProtocol) -> String {
        let marks = text.indices.filter { "\"“”".contains(text[$0]) }
        guard let first = marks.first, let last = marks.last, first < last else { return words(of: text) }
        return words(of: text[..<first] + "\"\(Self.hidden)\"" + text[text.index(after: last)...])
    }

    /// A document with each text as a message.
    mutating func document(_ value: JSONValue) -> [UInt8] {
        if let text = value.string { return StrictJSON.quoted(message(text)) }
        if let members = value.members {
            return StrictJSON.object(members.map { ($0.name, document($0.value)) })
        }
        return value.elements.map { StrictJSON.array($0.map { document($0) }) } ?? Array(value.raw)
    }

    /// A line of `userd --print-config`: values of records, headers and requests are left out.
    mutating func setting(_ line: String) -> String {
        let indent = String(line.prefix { $0 == " " })
        guard let parts = line.wholeMatch(of: /[ ]*([^ :]+): (.*?)(?:  # (.*))?/)?.output else {
            return indent + words(of: line)
        }
        let (_, name, text, origin) = parts
        // Larger numbers are userd's own here.
        let isNumber = text.utf8.count <= 9 && text.allSatisfy(\.isNumber)
        let isData = Self.data.contains(String(name)) && text != "\"\""
        let shown = isData ? Self.hidden : isNumber ? String(text) : words(of: text)
        return indent + words(of: name) + ": " + shown + (origin.map { "  # " + words(of: $0) } ?? "")
    }

    private mutating func words(of text: some StringProtocol) -> String {
        var (shown, number): ([String], Int?) = ([], nil)
        for (index, word) in text.split(separator: " ").enumerated() {
            // A log's line begins with its time; others may be of records.
            var word = index == 0 && isTime(word) ? String(word) : self.word(Substring(word))
            if word.contains(where: \.isLetter) {
                number = nil
            } else if word.contains(where: \.isNumber) {
                // A telephone number may be written in groups.
                if let first = number {
                    shown.removeSubrange(first...)
                    word = Self.hidden + word.drop { $0 != "," }
                }
                number = min(number ?? shown.count, shown.count)
            }
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
        if core.contains("://") { return address(core) }
        if let number = hosts[Substring(String(core).asciiLowercased)] { return "host\(number).example" }
        if isKnown(core) || isNumber(core) { return String(core) }
        // A name and its value, or an advice and what it is about.
        guard let mark = core.firstIndex(where: "=:".contains), !core[..<mark].contains(where: \.isNumber)
        else { return Self.hidden }
        let value = core[mark...].dropFirst()
        return word(core[..<mark]) + String(core[mark])
            + (value.contains(where: "=:".contains) ? Self.hidden : word(value))
    }

    private func isKnown(_ core: Substring) -> Bool {
        let isDotted = core.contains(".") && !"/~".contains(core.prefix(1))
        guard core.count(where: \.isNumber) <= 3, !isDotted || Self.dotted.contains(core.prefix { $0 != "." })
        else { return false }
        return core.split { "-_/+.:@~[]()|&".contains($0) }.allSatisfy { part in
            let word = Substring(String(part.filter { !$0.isNumber }).asciiLowercased)
            // Single letters may be those of a name.
            let isVersion = word.utf8.count == 1 && part.count > 1
            return word.isEmpty || word == "a" || isVersion || Self.words.contains(word)
        }
    }

    /// Whether this is a small number, a version, or a quantity such as 0.5 or 64MiB.
    private func isNumber(_ core: Substring) -> Bool {
        core.first?.isNumber == true && core.count(where: \.isNumber) <= 4
            && core.wholeMatch(of: /\d{1,3}(\.\d{1,3}){0,2}(s|ms|min|h|d|%|B|KiB|MiB|GiB)?/) != nil
    }

    private func isTime(_ word: some StringProtocol) -> Bool {
        Substring(word).wholeMatch(of: /20[2-9]\d-\d\d-\d\dT[\d:.]{8,15}([+-]\d\d:?\d\d|Z)/) != nil
    }

    private mutating func address(_ core: Substring) -> String {
        let form = /(.*?):\/\/(?:[^\/?#]*@)?(\[[^\/]*\]|[^\/?#:]*)(:\d{1,5})?([^?#]*)(.*)/
        guard let parts = core.wholeMatch(of: form)?.output else { return Self.hidden }
        let (_, scheme, host, port, path, query) = parts
        let isNumber = path.count(where: \.isNumber) > 3
        let steps = path.split(separator: "/", omittingEmptySubsequences: false).map {
            isNumber || !isKnown($0) ? Substring($0.isEmpty ? "" : Self.hidden) : $0
        }
        return word(scheme) + "://" + name(of: host) + (port ?? "") + steps.joined(separator: "/")
            + (query.isEmpty ? "" : "?" + Self.hidden)
    }

    private mutating func name(of host: Substring) -> String {
        if ["localhost", "127.0.0.1", "[::1]", ""].contains(host) { return String(host) }
        let host = Substring(String(host).asciiLowercased)
        let number = hosts[host, default: hosts.count + 1]
        hosts[host] = number
        return "host\(number).example"
    }
}
