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

/// Nothing to show yet.
package struct LoadingPage: View {
    private let message: String
    private let advice: String?

    package init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    package var body: some View { Notice(message: message, style: .secondary, advice: advice) }
}

/// Nothing to show, which is no error.
package struct EmptyPage: View {
    private let message: String
    private let advice: String?

    package init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    package var body: some View { Notice(message: message, style: .title, advice: advice) }
}

/// Nothing to show because of a failure: what happened, and what to do.
package struct ErrorPage: View {
    private let message: String
    private let advice: String

    package init(_ message: String, advice: String) {
        self.message = message
        self.advice = advice
    }

    package var body: some View { Notice(message: message, style: .bad, advice: advice) }
}

private struct Notice: View {
    let message: String
    let style: Style
    let advice: String?

    var body: some View {
        Column {
            Text(message).style(style)
            if let advice { Text(advice) }
        }
    }
}
