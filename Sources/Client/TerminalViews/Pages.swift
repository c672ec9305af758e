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

/// Parts with blank lines between them, and a footer.
package struct Page: View {
    private let content: [any View]
    private let footer: String?

    package init(footer: String? = nil, @ViewBuilder _ content: () -> [any View]) {
        self.content = content()
        self.footer = footer
    }

    package var body: some View {
        Column(spacing: 1) {
            Column(spacing: 1, content)
            if let footer { Text(footer).style(.secondary) }
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
