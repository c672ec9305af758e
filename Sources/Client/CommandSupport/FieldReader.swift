import Model
import StrictJSON

/// Reads selected members of a JSON record by name; `name_first` is the member `first` of the member `name`. The other
/// members are not decoded.
package struct FieldReader: Sendable {
    private let names: [[UInt8]]

    package init(_ names: [String]) { self.names = names.map { Array($0.utf8) } }

    /// The values in the order of the names: strings are unescaped, lists of `Contact` are `value (kind); value`, other
    /// values are raw JSON; nil for null and for missing members.
    package func fields(of record: JSONValue) -> [String?] {
        var fields = [String?](repeating: nil, count: names.count)
        read(record, names.indices, from: 0, into: &fields)
        return fields
    }

    /// - Parameters:
    ///   - wanted: indices of the names that lead to this object.
    ///   - start: the offset in these names of the member's own name.
    private func read(
        _ object: JSONValue, _ wanted: some Sequence<Int>, from start: Int, into fields: inout [String?]
    ) {
        object.forEachMember { name, value in
            let end = start + name.count
            var nested: [Int] = []
            for index in wanted where names[index].holds(name, at: start) {
                if names[index].count == end {
                    fields[index] =
                        value.isNull
                        ? nil : value.string ?? contacts(value) ?? String(decoding: value.raw, as: UTF8.self)
                } else if names[index][end] == UInt8(ascii: "_") {
                    nested.append(index)
                }
            }
            if !nested.isEmpty { read(value, nested, from: end + 1, into: &fields) }
        }
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
    fileprivate func holds(_ name: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard let first = name.first, start + name.count <= count, self[start] == first else { return false }
        return self[start..<(start + name.count)].elementsEqual(name)
    }
}
