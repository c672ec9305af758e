import Model

/// A sanitised text in one style. It wraps at blanks.
package struct Text: View {
    var span: Span
    private var wraps = true

    package init(_ raw: String) {
        span = Span(raw)
    }

    package func style(_ style: Style) -> Text {
        var copy = self
        copy.span.style = style
        return copy
    }

    /// Draws the text as a link; it is plain without an address.
    package func link(_ address: ActionAddress?) -> Text {
        var copy = self
        copy.span.link = address
        return copy
    }

    /// Truncated with an ellipsis instead of wrapped.
    package func truncated() -> Text {
        var copy = self
        copy.wraps = false
        return copy
    }

    package func lines(on canvas: Canvas) -> [Line] {
        let span = span.shown(in: canvas.charset)
        guard let width = canvas.width else { return [Line(spans: [span])] }
        let spans = wraps ? span.wrapped(to: width) : [span.truncated(to: width, canvas.charset)]
        return spans.map { Line(spans: [$0]) }
    }
}
