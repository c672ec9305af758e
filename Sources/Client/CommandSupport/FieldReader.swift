import Glibc
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
        self.branches = Self.sorted(branches)
        count = names.count
    }

    private static func sorted(_ branches: [Branch]) -> [Branch] {
        branches.sorted { $0.name.lexicographicallyPrecedes($1.name) }.map { branch in
            var branch = branch
            branch.branches = sorted(branch.branches)
            return branch
        }
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
        // Records have their members in the order of their names, so the next one is mostly near.
        var next = 0
        object.forEachMember { name, value in
            for _ in branches.indices {
                let index = next
                next = index + 1 == branches.count ? 0 : index + 1
                guard branches[index].name.isEqual(to: name) else { continue }
                if value.kind == .null { return }
                for field in branches[index].fields { fields[field] = value }
                if !branches[index].branches.isEmpty { read(value, branches[index].branches, into: &fields) }
                return
            }
        }
    }
}

extension RawJSON {
    /// Nil for null.
    package var text: String? {
        if kind == .null { return nil }
        return string ?? contacts?.map(\.text).joined(separator: "; ")
            ?? String(decoding: bytes, as: UTF8.self)
    }

    /// Nil if it is not a list of them.
    package var contacts: [User.Contact]? {
        guard kind == .array else { return nil }
        var contacts: [User.Contact] = []
        var isValid = true
        forEachElement { element in
            var (value, kind): (String?, String?)
            element.forEachMember { name, member in
                if name.isName("value") {
                    value = member.string
                } else if name.isName("kind"), member.kind != .null {
                    kind = member.string
                    if kind == nil { isValid = false }
                }
            }
            guard let value else { return isValid = false }
            contacts.append(User.Contact(value: value, kind: kind))
        }
        return isValid ? contacts : nil
    }
}

extension User.Contact {
    /// `value (kind)`
    package var text: String { kind.map { "\(value) (\($0))" } ?? value }
}

extension [UInt8] {
    /// Called for each member and name: compares the first byte before the rest.
    fileprivate func isEqual(to name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == name.count, count > 0, self[0] == name[0] else { return false }
        return withUnsafeBytes { own in
            guard let one = own.baseAddress, let other = name.baseAddress else { return false }
            return memcmp(one, other, count) == 0
        }
    }
}
