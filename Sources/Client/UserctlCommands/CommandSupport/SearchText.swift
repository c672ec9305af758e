/// A search without a letter or digit would match everything.
func canSearch(_ text: String) -> Bool { text.contains { $0.isLetter || $0.isNumber } }
