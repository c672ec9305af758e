import Model
import StrictJSON

extension DirectoryFormat {
    /// A condition on the value at a pointer. It holds if one of its tests does.
    package struct Condition: Sendable, Equatable {
        package enum Test: Sendable, Equatable {
            /// There is a value, which is neither false nor a date that means "no date".
            case present
            case absent
            /// A date that has passed.
            case past
            /// - Parameter value: in lower case.
            case text(String)
            /// Bits of a number.
            case bits(Int)
            /// Numbers above or below a bound, or equal to it if that is included.
            case beyond(Double, isAbove: Bool, isIncluded: Bool)
        }

        package var pointer: Pointer
        package var tests: [Test]
    }
}

extension DirectoryFormat.Condition {
    package var holdsForNothing: Bool { tests.contains(.absent) }

    /// Other words for a boolean, as the settings spell it, too.
    private static let words = ["true": ["yes", "on"], "false": ["no", "off"]]

    /// - Parameters:
    ///   - text: of a value that is there; nil for an object or a list.
    ///   - isFalse: whether the value is the boolean false, which counts as absent.
    package func holds(for text: String?, isFalse: Bool = false, now: () -> Timestamp) -> Bool {
        func isAbsent() -> Bool { isFalse || text.map(Timestamp.isNoDate) == true }
        return tests.contains { test in
            switch test {
            case .present: !isAbsent()
            case .absent: isAbsent()
            case .past:
                // Before it was a condition, it was a text.
                text?.asciiLowercased == "past" || text.flatMap { Timestamp($0) }.map { $0 < now() } == true
            case .text(let wanted):
                text.map(\.asciiLowercased).map { $0 == wanted || Self.words[$0]?.contains(wanted) == true }
                    == true
            case .bits(let bits): text.flatMap { Int($0) }.map { $0 & bits != 0 } == true
            case .beyond(let bound, let isAbove, let isIncluded):
                text.flatMap { Double($0) }.map {
                    isIncluded && $0 == bound || (isAbove ? $0 > bound : $0 < bound)
                } == true
            }
        }
    }
}

extension DirectoryFormat.Condition.Test {
    /// - Parameter hasBits: whether `&2` is the bit of value 2.
    init(_ text: String, hasBits: Bool) throws(FormatMistake) {
        if hasBits, text.hasPrefix("&"), let bits = Int(text.dropFirst()) {
            self = .bits(bits)
        } else if text == "present" {
            self = .present
        } else if text == "past" {
            self = .past
        } else if text == "absent" || text.isEmpty && !hasBits {
            self = .absent
        } else if let sign = text.first, sign == "<" || sign == ">" {
            let isIncluded = text.dropFirst().first == "="
            let rest = text.dropFirst(isIncluded ? 2 : 1)
            if let bound = Double(rest.drop { $0 == " " }) {
                self = .beyond(bound, isAbove: sign == ">", isIncluded: isIncluded)
            } else if rest.first == " " {
                throw FormatMistake("\"\(text)\" has to compare with a number, as in \"> 0\"")
            } else {
                self = .text(text.asciiLowercased)
            }
        } else {
            self = .text(text.asciiLowercased)
        }
    }
}
