import BitCollections
import SQLite

/// The numbers of the users that match a search, read as far as needed.
package struct Matches {
    package private(set) var count = 0
    package private(set) var isComplete = false

    private let newest: Int
    private let next: () throws -> Row?
    private var numbers = BitSet()
    /// Matches up to this number have been read.
    private var reached = 0

    /// - Parameters:
    ///   - newest: the highest number of a user; higher ones are ignored, because the index may be damaged.
    ///   - next: returns rows of one number each, in ascending order unless the index is damaged.
    package init(upTo newest: Int, next: @escaping () throws -> Row?) {
        self.newest = newest
        self.next = next
    }

    /// Reads until this many matches are known.
    package mutating func read(_ most: Int) throws {
        while count < most, try readNext() {}
    }

    package mutating func contains(_ number: Int) throws -> Bool {
        while reached < number, try readNext() {}
        return numbers.contains(number)
    }

    private mutating func readNext() throws -> Bool {
        guard !isComplete, let row = try next() else {
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
