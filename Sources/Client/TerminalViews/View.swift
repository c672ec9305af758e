/// A part of a command's output: a small value, described by the views in its `body`.
package protocol View {
    associatedtype Body: View = Never
    var body: Body { get }

    /// The lines of this view, at most as wide as the canvas; by default those of the body.
    func lines(on canvas: Canvas) -> [Line]
}

extension View {
    package func lines(on canvas: Canvas) -> [Line] { body.lines(on: canvas) }
}

extension View where Body == Never {
    package var body: Never { fatalError("a view without a body draws its own lines") }
}

extension Never: View {
    package func lines(on canvas: Canvas) -> [Line] { switch self {} }
}

package struct RenderedLine: Sendable {
    /// The line without its newline.
    package let text: String
    /// In cells.
    package let width: Int
}

/// The lines of a view, without trailing blanks.
///
/// - Parameter width: the terminal's width in cells, at least 8: text is fitted, and right-to-left text is
///   isolated so that columns keep their order. Nil for a file or a pipe.
package func rendered(
    _ view: some View, width: Int?, colour: Bool, charset: Charset = .unicode
) -> [RenderedLine] {
    let isolates = width != nil && charset == .unicode
    return view.lines(on: Canvas(width: width.map { max($0, 8) }, charset: charset)).map {
        RenderedLine(text: $0.encoded(colour: colour, isolates: isolates), width: $0.width)
    }
}

/// The text of a view, each line with its newline.
package func render(
    _ view: some View, width: Int?, colour: Bool, charset: Charset = .unicode
) -> String {
    rendered(view, width: width, colour: colour, charset: charset).reduce(into: "") { text, line in
        text.append(line.text)
        text.append("\n")
    }
}

/// Builds a list from the expressions in braces, with `if` and `for`; nil is left out.
@resultBuilder
package enum ListBuilder<Element> {
    package static func buildExpression(_ element: Element) -> [Element] { [element] }
    package static func buildExpression(_ element: Element?) -> [Element] { element.map { [$0] } ?? [] }
    package static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap { $0 } }
    package static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    package static func buildEither(first: [Element]) -> [Element] { first }
    package static func buildEither(second: [Element]) -> [Element] { second }
    package static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap { $0 } }
}

package typealias ViewBuilder = ListBuilder<any View>
