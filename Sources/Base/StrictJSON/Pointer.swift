/// A place in a JSON value: an RFC 6901 pointer with three additions. If no name matches exactly, one in
/// another case does (real servers write `resources`). A segment `[key=value]` is the first element of an
/// array whose member `key` is `value`; `[key=]` is the first whose member is empty or missing; `[a/b=value]` looks at the member `b` of the member `a`, and
/// `[key=@/a/b]` compares with the value at `/a/b` of the record. `*` is each element of an array, or the value
/// of each member of an object.
package struct Pointer: Hashable, Sendable, CustomStringConvertible {
    package enum Step: Hashable, Sendable {
        /// A member of an object; a number also names an element of an array.
        case named(String)
        case matching(key: [String], value: String)
        /// - Parameter reference: the place of the value in the record.
        case referring(key: [String], reference: [String])
        /// Each element of an array. Only `RecordReader.kept` reads it.
        case each
        /// Each element of an array, or the value of each member of an object. `Branches` reads it.
        case all
    }

    package let steps: [Step]
    package let description: String

    package static let whole = Pointer([], description: "")

    package init(_ steps: [Step], description: String) {
        (self.steps, self.description) = (steps, description)
    }

    package init(path: [String]) {
        self.init(path.map(Step.named), description: path.map { "/\($0)" }.joined())
    }

    package var hasBranches: Bool { steps.contains(.all) }
}
