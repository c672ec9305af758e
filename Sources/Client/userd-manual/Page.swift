/// A page of mdoc(7).
struct Page {
    private(set) var text = ""

    /// Writes plain text, each sentence on a line of its own, as mdoc requires.
    mutating func write(_ words: String) {
        for sentence in words.replacing(". ", with: ".\n").split(separator: "\n") {
            text += escaped(String(sentence), atLineStart: true) + "\n"
        }
    }

    /// - Parameter words: the arguments; the caller escapes text from people.
    mutating func macro(_ name: String, _ words: [String] = []) {
        text += ([".\(name)"] + words).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) {
        macro("Sh", title.uppercased().split(separator: " ").map(String.init))
    }

    mutating func paragraphs(_ paragraphs: [String]) {
        for (number, paragraph) in paragraphs.enumerated() {
            if number > 0 { macro("Pp") }
            write(paragraph)
        }
    }

    /// Writes lines unchanged, for the reader to copy.
    mutating func literal(_ lines: [String]) {
        macro("Bd", ["-literal", "-offset", "indent"])
        for line in lines { text += escaped(line, atLineStart: true) + "\n" }
        macro("Ed")
    }

    /// - Parameter tag: an item's heading, as arguments of `.It`.
    mutating func list<Item>(_ items: [Item], tag: (Item) -> [String], body: (inout Page, Item) -> Void) {
        macro("Bl", ["-tag", "-width", "Ds"])
        for item in items {
            macro("It", tag(item))
            body(&self, item)
        }
        macro("El")
    }
}

/// Text escaped for mdoc: text in backticks becomes bold, hyphens stay hyphens when copied.
/// https://mandoc.bsd.lv/mdoc/intro/escaping.html
func escaped(_ text: String, atLineStart: Bool = false) -> String {
    var result = ""
    var isCode = false
    for character in text {
        switch character {
        case "\\": result += "\\e"
        case "-": result += "\\-"
        case "`":
            isCode.toggle()
            result += isCode ? "\\fB" : "\\fR"
        default: result.append(character)
        }
    }
    return atLineStart && (result.hasPrefix(".") || result.hasPrefix("'")) ? "\\&" + result : result
}

/// Text as one argument of a macro.
func quoted(_ text: String) -> String {
    "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
}
