import Model

/// The role of a text, which decides its colour.
package enum Style: Sendable {
    case plain, title, secondary, good, warning, bad, selected

    /// The parameter of SGR (ECMA-48, 8.3.117).
    fileprivate var code: Int? {
        switch self {
        case .plain: nil
        case .title: 1
        case .secondary: 2
        case .good: 32
        case .warning: 33
        case .bad: 31
        case .selected: 7
        }
    }
}

/// A piece of a line: a text in one style, or part of a picture. Every initialiser sanitises its text.
struct Span: Sendable {
    private let text: String
    let width: Int
    var style: Style
    /// The address that a click on the text opens.
    var link: ActionAddress?
    /// Whether the text is a picture's escape sequences, which are never cut.
    private let isDrawing: Bool

    init(_ raw: String, style: Style = .plain) {
        self.init(clean: raw.sanitised, style: style)
    }

    init(_ drawing: Drawing) {
        (text, width, style, isDrawing) = (drawing.sequence, drawing.width, .plain, true)
    }

    init(blanks width: Int) {
        (text, self.width, style, isDrawing) = (String(repeating: " ", count: width), width, .plain, false)
    }

    private init(clean text: String, style: Style) {
        (self.text, width, self.style, isDrawing) = (text, text.displayWidth, style, false)
    }

    /// Another text with the same style and link.
    private func with(clean text: some StringProtocol) -> Span {
        var span = Span(clean: String(text), style: style)
        span.link = link
        return span
    }

    func shown(in charset: Charset) -> Span {
        charset == .unicode || isDrawing ? self : with(clean: charset.shown(text))
    }

    /// The span cut to at most `limit` cells, with an ellipsis at its end.
    func truncated(to limit: Int, _ charset: Charset) -> Span {
        guard width > limit, !isDrawing else { return self }
        let ellipsis = charset.shown("…").prefix(max(limit, 0))
        return with(clean: String(text.prefix(cells: limit - ellipsis.count)) + ellipsis)
    }

    /// The span split into pieces of at most `limit` cells, at blanks if possible.
    func wrapped(to limit: Int) -> [Span] {
        guard width > limit, !isDrawing else { return [self] }
        return text.wrapped(to: limit).map { with(clean: $0) }
    }

    var widestWord: Int { isDrawing ? width : text.split(separator: " ").map(\.displayWidth).max() ?? 0 }

    /// The span without trailing whitespace; nil if nothing is left.
    fileprivate var trimmed: Span? {
        if isDrawing { return self }
        if let last = text.utf8.last, (0x21...0x7E).contains(last) { return self }
        let scalars = text.unicodeScalars
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return nil }
        return with(clean: String(scalars[...last]))
    }

    func encoded(colour: Bool, isolates: Bool) -> String {
        if isDrawing { return text }
        let text = isolates && text.hasRightToLeft ? "\u{2068}\(text)\u{2069}" : text
        let styled = colour ? style.code.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text : text
        guard let link else { return styled }
        // OSC 8: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda
        return "\u{1B}]8;;\(link.text)\u{1B}\\\(styled)\u{1B}]8;;\u{1B}\\"
    }
}

/// One line of a drawn view.
package struct Line: Sendable {
    var spans: [Span] = []

    var width: Int { spans.reduce(0) { $0 + $1.width } }

    static func blank(_ width: Int) -> Line {
        Line(spans: width > 0 ? [Span(blanks: width)] : [])
    }

    static func + (a: Line, b: Line) -> Line { Line(spans: a.spans + b.spans) }

    /// The line padded with blanks to a width; never cut.
    func padded(to width: Int, _ alignment: Alignment = .leading) -> Line {
        let missing = width - self.width
        guard missing > 0 else { return self }
        var padded = self
        padded.spans.insert(Span(blanks: missing), at: alignment == .leading ? spans.count : 0)
        return padded
    }

    func encoded(colour: Bool, isolates: Bool) -> String {
        var spans = spans
        while let last = spans.popLast() {
            // The selected row is drawn as a bar, to its end.
            guard let trimmed = colour && last.style == .selected ? last : last.trimmed else { continue }
            spans.append(trimmed)
            break
        }
        var text = ""
        for span in spans { text.append(span.encoded(colour: colour, isolates: isolates)) }
        return text
    }
}

package enum Alignment: Sendable { case leading, trailing }
