import Model

/// The letters of a folded word.
struct Letters {
    fileprivate let scalars: [UInt32]
    /// A bit for each different letter, which few letters share.
    fileprivate let kinds: UInt64

    init(_ text: some StringProtocol) { self.init(utf8: Array(text.utf8)[...]) }

    init(utf8 text: ArraySlice<UInt8>) {
        scalars =
            text.allSatisfy { $0 < 0x80 }
            ? text.map(UInt32.init) : String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
        kinds = scalars.reduce(0) { $0 | 1 << UInt64($1 % 64) }
    }

    /// Whether people may mean another word by it: it is neither very short or long, nor a number.
    var isWord: Bool { 3...24 ~= scalars.count && scalars.contains { !(0x30...0x39 ~= $0) } }
}

/// How near others are to a word: by how it sounds, by slips, and by the letters that they share.
struct Nearness {
    private let word: Letters
    private let sound: [UInt32]
    private let trigrams: [UInt64]

    init(to word: Letters) {
        (self.word, sound, trigrams) = (word, word.sound, word.trigrams)
    }

    /// From here on, words sound alike.
    static let alike = 0.9
    /// The least likeness of trigrams: below this, words share little more than their beginnings.
    private static let leastShared = 0.55

    /// At most 1, for the same word; nil if it is not near.
    func of(_ other: Letters) -> Double? {
        let (letters, others) = (word.scalars, other.scalars)
        // Most words are told apart without looking at their letters.
        let (shared, all) = ((word.kinds & other.kinds).nonzeroBitCount, word.kinds.nonzeroBitCount)
        guard shared * 2 >= all else { return nil }
        if letters == others { return 1 }
        var nearness = 0.0
        // One slip in a short word, two in a longer one.
        let slips = min(min(letters.count, others.count) / 3, 3)
        if abs(letters.count - others.count) <= slips,
            (word.kinds ^ other.kinds).nonzeroBitCount <= 2 * slips
        {
            let distance = editDistance(letters, others)
            if distance <= slips {
                nearness = 1 - Double(distance) / Double(max(letters.count, others.count))
            }
        }
        let sounds = abs(letters.count - others.count) <= 4 ? other.sound : []
        if sounds.count > 1, sounds == sound { return Self.alike + nearness / 20 }
        guard shared * 5 >= all * 3 else { return nearness > 0 ? nearness : nil }
        let theirs = other.trigrams
        let common = trigrams.count { theirs.contains($0) }
        let likeness = 2 * Double(common) / Double(trigrams.count + theirs.count)
        if likeness >= Self.leastShared { nearness = max(nearness, likeness) }
        // Two trigrams at the beginning and one at the end are not within a word.
        if common >= trigrams.count - 3, letters.count >= 3, others.contains(letters) {
            nearness = max(nearness, 0.4)
        }
        return nearness > 0 ? nearness : nil
    }
}

struct TextNearness {
    private let words: [Nearness]

    /// - Parameter text: folded.
    init(to text: String) {
        words = splitIntoRuns(text).map { Nearness(to: Letters($0.letters)) }
    }

    /// - Returns: nil if less than half of the words are near.
    func of(_ other: String) -> Double? {
        let others = splitIntoRuns(other).map { Letters($0.letters) }
        let sum = words.reduce(0) { $0 + (others.compactMap($1.of).max() ?? 0) }
        let mean = sum / Double(max(words.count, 1))
        return mean >= 0.5 || (mean > 0 && words.count == 1) ? mean : nil
    }
}

extension Letters {
    /// The word with one spelling for each sound, without doubled letters; empty if it is not in Latin letters.
    fileprivate var sound: [UInt32] {
        guard scalars.allSatisfy({ 0x61...0x7A ~= $0 }) else { return [] }
        var sound: [UInt32] = []
        var rest = scalars[...]
        while let letter = rest.first {
            let spelling = spellings[Int(letter - 0x61)].first { rest.starts(with: $0.written) }
            // Within a word, an h that is left is silent: Mohr, Sarah.
            let isSilent = spelling == nil && letter == 0x68 && !sound.isEmpty
            for letter in isSilent ? [] : spelling?.sound ?? [letter] where letter != sound.last {
                sound.append(letter)
            }
            rest = rest.dropFirst(spelling?.written.count ?? 1)
        }
        return sound
    }

    /// Three letters in a row, with two blanks before the word and one after it.
    fileprivate var trigrams: [UInt64] {
        var last: UInt64 = 0
        return (scalars + [0]).map { scalar in
            // A scalar has 21 bits.
            last = (last << 21 | UInt64(scalar)) & (1 << 63 - 1)
            return last
        }
    }
}

/// Spellings of one sound in names, by their first letter; longer ones first. These are the rules that Kölner Phonetik (H. J.
/// Postel, 1969) and Metaphone (L. Philips, 1990) share, and pairs of vowels that both drop but names differ by.
private let spellings: [[(written: [UInt32], sound: [UInt32])]] = {
    let pairs = """
        ai ai, aj ai, ay ai, ei ai, ej ai, ey ai, ae a, oe o, ue u, ou u, ie i, y i, j i, ph f, w v, sch s, sh s, tz s, z s, \
        ch k, ck k, c k, q k, x ks, dt t, th t, d t
        """.split(separator: ", ").map { pair in
            let sides = pair.split(separator: " ").map { $0.unicodeScalars.map(\.value) }
            return (written: sides[0], sound: sides[1])
        }
    return (0x61...0x7A).map { letter in pairs.filter { $0.written.first == letter } }
}()
