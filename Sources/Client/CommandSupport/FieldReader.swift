import Model
import StrictJSON

extension FieldReader {
    /// The values in the order of the names: strings are unescaped, lists of `Contact` are `value (kind); value`, other
    /// values are raw JSON; nil for null and for missing members.
    package func fields(of record: JSONValue) -> [String?] {
        read(record) { record in record.fields.map { record[$0]?.text } }
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
