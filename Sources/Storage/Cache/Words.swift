import Model

/// A run of letters and digits of a folded text.
struct Run {
    var letters: Substring
    /// Whether white space separates it from the run before.
    var beginsWord: Bool
}

/// The runs of letters and digits of a text, folded: o'brien has two, which are one word.
func splitIntoRuns(_ folded: String) -> [Run] {
    let scalars = folded.unicodeScalars
    var runs: [Run] = []
    var beginsWord = true
    var index = scalars.startIndex
    while index < scalars.endIndex {
        let start = index
        while index < scalars.endIndex, scalars[index].isPartOfWord { scalars.formIndex(after: &index) }
        if start < index {
            runs.append(Run(letters: folded[start..<index], beginsWord: beginsWord))
            beginsWord = false
        } else {
            if scalars[index].properties.isWhitespace { beginsWord = true }
            scalars.formIndex(after: &index)
        }
    }
    return runs
}

extension Unicode.Scalar {
    var isPartOfWord: Bool {
        switch value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
        case 0..<0x80: return false
        default: break
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

extension Unicode.Scalar {
    /// Whether the script is written without blanks: Thai, Lao, Burmese, Khmer, kana, Han and Hangul.
    fileprivate var hasNoBlanks: Bool {
        switch value {
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: true
        default: isEastAsian
        }
    }
}

/// What begins the words of the index that are searched by their kind.
enum WordKind: String {
    /// They are there without it, too.
    case name = "##"
    case company = "#@"
    case employeeNumber = "@#"
}

/// The text of a user that the search index holds: distinct folded words, each with a blank around it.
///
/// The index knows no spellings of its own: what finds a user must be here. `#` begins the digits of a telephone number, and
/// `@` an address. `WordKind` has the others.
struct IndexedWords {
    /// People may write into their own records, and each word costs time and space on every machine. Names come first.
    static let maximum = 1000

    private(set) var text: [UInt8] = [blank]
    /// The kind of the words that are added; nil for words of any kind.
    var kind: WordKind?
    private var words: Set<String> = []

    /// Adds a word unless it is there, or there are too many.
    mutating func append(_ word: some StringProtocol) {
        guard words.count < Self.maximum, words.insert(String(word)).inserted else { return }
        text.append(contentsOf: word.utf8)
        text.append(blank)
    }

    mutating func add(_ written: String) {
        addFolded(splitIntoRuns(folded(written)))
        if let writtenOut = foldedWrittenOut(written) { addFolded(splitIntoRuns(writtenOut)) }
    }

    /// Adds a name, which people also write as one word: van den Berg is found by vandenberg, and by denberg.
    mutating func add(name: String) {
        for spelling in [folded(name), foldedWrittenOut(name)] {
            guard let spelling else { continue }
            let runs = splitIntoRuns(spelling)
            addFolded(runs)
            let words = split(runs)
            guard 2...Self.joined ~= words.count else { continue }
            for first in 0..<words.count - 1 {
                append(spelled: words[first...].map { $0.joined() }.joined()[...])
            }
        }
    }

    /// Adds the parts of a whole name as one word, if their script is written without blanks: 山田 太郎 is found by 山田太郎.
    mutating func add(whole parts: String...) {
        // Most names are of other scripts, and folding takes time.
        guard parts.allSatisfy({ $0.utf8.first ?? 0 >= 0xE0 }) else { return }
        let runs = parts.flatMap { splitIntoRuns(folded($0)) }
        guard runs.count > 1, runs.allSatisfy({ $0.letters.unicodeScalars.allSatisfy(\.hasNoBlanks) })
        else { return }
        append(spelled: lettersOnly(runs)[...])
    }

    mutating func add(employeeNumber: String) {
        let number = lettersOnly(employeeNumber[...])
        if number.count >= SearchWord.shortestNumber { append(WordKind.employeeNumber.rawValue + number) }
    }

    /// Adds an address: its name's words, and from the @ on it is found as a whole.
    mutating func add(address: String) {
        guard let at = address.utf8.lastIndex(of: UInt8(ascii: "@")) else { return add(address) }
        let name = splitIntoRuns(folded(String(address[..<at])))
        addFolded(name)
        let domain = lettersOnly(address[address.utf8.index(after: at)...])
        append("@\(lettersOnly(name))@\(domain)")
        append("@@\(domain)")
    }

    /// The most words or runs that are also found as one.
    private static let joined = 4

    private mutating func addFolded(_ runs: [Run]) {
        for run in runs { append(spelled: run.letters) }
        guard runs.contains(where: { !$0.beginsWord }) else { return }
        for word in split(runs) where 2...Self.joined ~= word.count {
            append(spelled: word.joined()[...])
        }
    }

    private mutating func append(spelled word: Substring) {
        appendOfKind(word)
        if let squeezed = squeezed(word) { appendOfKind(squeezed[...]) }
    }

    private mutating func appendOfKind(_ word: Substring) {
        if kind != .company { append(word) }
        if let kind { append(kind.rawValue + word) }
    }
}

private let blank = UInt8(ascii: " ")

private func split(_ runs: [Run]) -> [[Substring]] {
    var words: [[Substring]] = []
    for run in runs {
        if run.beginsWord || words.isEmpty {
            words.append([run.letters])
        } else {
            words[words.count - 1].append(run.letters)
        }
    }
    return words
}

/// A part of an address as the index has it.
func lettersOnly(_ text: Substring) -> String { lettersOnly(splitIntoRuns(folded(String(text)))) }

private func lettersOnly(_ runs: [Run]) -> String { runs.reduce(into: "") { $0 += $1.letters } }
