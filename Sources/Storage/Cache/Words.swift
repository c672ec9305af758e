import TextFolding

/// A run of letters and digits of a folded text.
struct Run: Hashable {
    var letters: String
    /// Whether white space separates it from the run before.
    var beginsWord: Bool
}

/// The runs of letters and digits of a text, folded: o'brien has two, which are one word.
func splitIntoRuns(_ folded: String) -> [Run] {
    var runs: [Run] = []
    var letters = String.UnicodeScalarView()
    var beginsWord = true
    func end() {
        guard !letters.isEmpty else { return }
        runs.append(Run(letters: String(letters), beginsWord: beginsWord))
        letters.removeAll(keepingCapacity: true)
        beginsWord = false
    }
    for scalar in folded.unicodeScalars {
        if scalar.isPartOfWord {
            letters.append(scalar)
        } else {
            end()
            if scalar.properties.isWhitespace { beginsWord = true }
        }
    }
    end()
    return runs
}

extension Unicode.Scalar {
    var isPartOfWord: Bool {
        if isASCII {
            return "a"..."z" ~= self || "0"..."9" ~= self || "A"..."Z" ~= self
        }
        // Apostrophes, which Unicode calls letters.
        if self == "\u{2BB}" || self == "\u{2BC}" { return false }
        if properties.isAlphabetic || properties.numericType != nil { return true }
        return switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}

/// The text of a user that the search index holds: folded words with a blank between two.
///
/// The index knows no spellings of its own: what finds a user must be here. `#` begins the digits of a telephone number, and
/// `@` an address.
struct IndexedWords {
    private(set) var text = ""

    mutating func append(_ word: some StringProtocol) {
        if !text.isEmpty { text += " " }
        text += word
    }

    mutating func add(_ written: String) {
        addFolded(folded(written))
        if let writtenOut = foldedWrittenOut(written) { addFolded(writtenOut) }
    }

    /// Adds a name, which people also write as one word: van den Berg is found by vandenberg, and by denberg.
    mutating func add(name: String) {
        add(name)
        for spelling in [folded(name), foldedWrittenOut(name)].compactMap({ $0 }) {
            let words = joinedWords(ofFolded: spelling)
            guard 2...Self.joined ~= words.count else { continue }
            for first in 0..<words.count - 1 { append(spelled: words[first...].joined()) }
        }
    }

    /// Adds an address: its name's words, and from the @ on it is found as a whole.
    mutating func add(address: String) {
        guard let at = address.lastIndex(of: "@") else { return add(address) }
        addFolded(folded(String(address[..<at])))
        let (name, domain) = (lettersOnly(address[..<at]), lettersOnly(address[address.index(after: at)...]))
        append("@\(name)@\(domain)")
        append("@@\(domain)")
    }

    /// The most words or runs that are also found as one.
    private static let joined = 4

    private mutating func addFolded(_ folded: String) {
        let runs = splitIntoRuns(folded)
        for run in runs { append(spelled: run.letters) }
        guard runs.contains(where: { !$0.beginsWord }) else { return }
        for word in words(of: runs) where 2...Self.joined ~= word.count {
            append(spelled: word.joined())
        }
    }

    private mutating func append(spelled word: String) {
        append(word)
        if let squeezed = squeezed(word) { append(squeezed) }
    }
}

/// The runs of each word.
func words(of runs: [Run]) -> [[String]] {
    var words: [[String]] = []
    for run in runs {
        if run.beginsWord || words.isEmpty {
            words.append([run.letters])
        } else {
            words[words.count - 1].append(run.letters)
        }
    }
    return words
}

private func joinedWords(ofFolded folded: String) -> [String] {
    words(of: splitIntoRuns(folded)).map { $0.joined() }
}

/// A part of an address as the index has it.
func lettersOnly(_ text: some StringProtocol) -> String {
    splitIntoRuns(folded(String(text))).map(\.letters).joined()
}
