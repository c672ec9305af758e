import Model
import StrictJSON

/// Reads selected members of a JSON record by name; `name_first` is the member `first` of the member `name`. The other
/// members are not decoded.
package struct FieldReader: Sendable {
    /// The names that begin with this name.
    private struct Branch: Sendable {
        let name: [UInt8]
        /// The fields of exactly this name.
        var fields: [Int] = []
        var branches: [Branch] = []
    }

    private let branches: [Branch]
    private let count: Int

    package init(_ names: [String]) {
        var branches: [Branch] = []
        for (field, name) in names.enumerated() {
            // `display_name` may be a member, or the member `name` of another.
            let words = name.split(separator: "_").map { Array($0.utf8) }
            Self.add(words[...], field, to: &branches)
        }
        self.branches = branches
        count = names.count
    }

    private static func add(_ words: ArraySlice<[UInt8]>, _ field: Int, to branches: inout [Branch]) {
        for end in words.indices {
            let name = Array(words[...end].joined(separator: [UInt8(ascii: "_")]))
            let found = branches.firstIndex { $0.name == name }
            let index = found ?? branches.count
            if found == nil { branches.append(Branch(name: name)) }
            let rest = words[(end + 1)...]
            if rest.isEmpty {
                branches[index].fields.append(field)
            } else {
                add(rest, field, to: &branches[index].branches)
            }
        }
    }

    /// The values in the order of the names: strings are unescaped, lists of `Contact` are `value (kind); value`, other
    /// values are raw JSON; nil for null and for missing members.
    package func fields(of record: JSONValue) -> [String?] {
        read(record) { fields in fields.map { $0.flatMap(\.text) } }
    }

    /// - Parameter body: takes the values in the order of the names; nil for null and for missing members.
    package func read<Result>(_ record: JSONValue, _ body: ([RawJSON?]) throws -> Result) rethrows -> Result {
        try record.withRaw { record in
            var fields = [RawJSON?](repeating: nil, count: count)
            Self.read(record, branches, into: &fields)
            return try body(fields)
        }
    }

    private static func read(_ object: RawJSON, _ branches: [Branch], into fields: inout [RawJSON?]) {
        object.forEachMember { name, value in
            guard let branch = branches.first(where: { $0.name.isEqual(to: name) }), value.kind != .null
            else { return }
            for field in branch.fields { fields[field] = value }
            if !branch.branches.isEmpty { read(value, branch.branches, into: &fields) }
        }
    }
}

extension RawJSON {
    /// Nil for null.
    package var text: String? {
        kind == .null ? nil : string ?? contacts(value) ?? String(decoding: bytes, as: UTF8.self)
    }
}

/// Nil if the value is not a list of them.
private func contacts(_ list: JSONValue) -> String? {
    guard let elements = list.elements else { return nil }
    var texts: [String] = []
    for element in elements {
        guard let value = element["value"]?.string else { return nil }
        texts.append(User.Contact(value: value, kind: element["kind"]?.string).text)
    }
    return texts.joined(separator: "; ")
}

extension User.Contact {
    /// `value (kind)`
    package var text: String { kind.map { "\(value) (\($0))" } ?? value }
}

extension [UInt8] {
    /// Called for each member and name: compares the first byte before the rest.
    fileprivate func isEqual(to name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == name.count, first == name.first else { return false }
        return elementsEqual(name)
    }
}
