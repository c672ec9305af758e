import SQLite

/// The numbers of those who match a search, read from its index as far as they are needed.
package struct Matches {
    /// Tests one user; nil if only the index can tell.
    package var test: ((Int) throws -> Bool)?
    package private(set) var count = 0
    package private(set) var isComplete = false

    private let newest: Int
    private let next: () throws -> Row?
    private var numbers = NumberSet()
    /// Whoever matches and has no higher number has been read.
    private var reached = 0
    /// What tests have cost since numbers were read last.
    private var spent = 0

    /// To read a user's words and split them takes as long as to read so many numbers.
    private static let testCost = 40
    /// So does a row of an order's index; a page of users takes as long as so many rows.
    private static let pageCost = 6

    /// - Parameters:
    ///   - newest: the highest number of a user: no others are users, even if the index is damaged.
    ///   - next: gives rows of one number each, in ascending order, or in any if the index is damaged.
    package init(upTo newest: Int, next: @escaping () throws -> Row?) {
        self.newest = newest
        self.next = next
    }

    /// In rows of an order's index. Users of eight neighbouring numbers are about a page of the file.
    package var costToSort: Int { count + Self.pageCost * numbers.groups }

    /// Reads until so many are known.
    package mutating func read(_ most: Int) throws {
        while count < most, try readNext() {}
    }

    /// Whether that user matches. The numbers before it are read, unless tests have cost less so far.
    package mutating func contains(_ number: Int) throws -> Bool {
        if number > reached, !isComplete {
            let between = (number - reached) * count / max(1, reached)
            if let test, between > spent + Self.testCost {
                spent += Self.testCost
                return try test(number)
            }
            spent = 0
            while reached < number, try readNext() {}
        }
        return numbers.contains(number)
    }

    private mutating func readNext() throws -> Bool {
        guard let row = try next() else {
            isComplete = true
            return false
        }
        let number = try row.int(0)
        if number > 0, number <= newest {
            numbers.insert(number)
            reached = max(reached, number)
        }
        count += 1
        return true
    }
}

/// Positive row numbers, a bit for each up to the greatest. A damaged index may give them in any order, and more than once.
package struct NumberSet {
    private var words: [UInt64] = []

    package init() {}

    package mutating func insert(_ number: Int) {
        let index = number >> 6
        if words.count <= index { words += repeatElement(0, count: index + 1 - words.count) }
        words[index] |= 1 << UInt64(number & 63)
    }

    package func contains(_ number: Int) -> Bool {
        let index = number >> 6
        return words.indices.contains(index) && words[index] & 1 << UInt64(number & 63) != 0
    }

    /// In how many groups of eight, from 0 on, they are.
    package var groups: Int {
        words.reduce(0) { groups, word in
            // The lowest bit of each byte that is not zero.
            var bits = word | word >> 4
            bits |= bits >> 2
            bits |= bits >> 1
            return groups + (bits & 0x0101_0101_0101_0101).nonzeroBitCount
        }
    }
}
