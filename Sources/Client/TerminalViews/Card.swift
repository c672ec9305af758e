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
