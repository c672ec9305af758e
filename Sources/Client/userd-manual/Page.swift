/// A page of mdoc(7).
struct Page {
    private(set) var text = ""

    /// Text, which is no macro, each sentence on a line of its own, as mdoc has it.
    mutating func write(_ words: String) {
        for sentence in words.replacing(". ", with: ".\n").split(separator: "\n") {
            text += escaped(String(sentence), atLineStart: true) + "\n"
        }
    }

    /// - Parameter words: what people have written among them is to be escaped.
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

    /// Lines as they are, for people to copy.
    mutating func literal(_ lines: [String]) {
        macro("Bd", ["-literal", "-offset", "indent"])
        for line in lines { text += escaped(line, atLineStart: true) + "\n" }
        macro("Ed")
    }

    /// - Parameter items: each with the line of macros that names it.
    mutating func list<Item>(_ items: [Item], tag: (Item) -> [String], body: (inout Page, Item) -> Void) {
        macro("Bl", ["-tag", "-width", "Ds"])
        for item in items {
            macro("It", tag(item))
            body(&self, item)
        }
        macro("El")
    }
}

/// Text as mdoc wants it: what stands between backticks in bold, hyphens such that they can be copied.
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

/// One argument of a macro, whatever is in it.
func quoted(_ text: String) -> String {
    "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\""
}
