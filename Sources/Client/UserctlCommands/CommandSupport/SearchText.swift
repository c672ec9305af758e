/// A search without a letter or digit would match everything.
package func canSearch(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }
