/// A title with indented content below it.
package struct Card: View {
    private let title: Text
    private let content: [any View]

    package init(_ title: String, @ViewBuilder _ content: () -> [any View]) {
        self.title = Text(title).style(.title)
        self.content = content()
    }

    package var body: some View {
        Column {
            title
            Column(content).indented()
        }
    }
}

/// A message instead of content, and what to do about it.
package struct Notice: View {
    private let message: Text
    private let advice: String?

    /// - Parameter style: `.secondary` before content, `.title` if there is none, `.bad` after a failure.
    package init(_ message: String, _ style: Style, advice: String? = nil) {
        self.message = Text(message).style(style)
        self.advice = advice
    }

    package var body: some View {
        Column {
            message
            if let advice { Text(advice) }
        }
    }
}
