import TerminalViews

/// Facts, one below the other, untruncated.
package struct FactList: View {
    private let texts: [String]

    package init(_ texts: [String]) { self.texts = texts }

    package var body: some View {
        Column {
            for text in texts {
                Row(spacing: 1) {
                    Text("•")
                    Text(text)
                }
            }
        }
    }
}
