/// The name of a member with its colon, as JSON.
package struct JSONName: ExpressibleByStringLiteral, Sendable {
    fileprivate let json: [UInt8]

    package init(_ name: String) { json = StrictJSON.quoted(name) + [UInt8(ascii: ":")] }
    package init(stringLiteral name: String) { self.init(name) }
}

/// Writes an object by hand, for frequent replies and recordings: `StrictJSON.encode` takes ten times as long.
/// Members are in the order of the calls; nil members are left out.
package struct JSONObjectWriter {
    package private(set) var json: [UInt8]

    package init(_ write: (inout JSONObjectWriter) -> Void) {
        json = []
        json.reserveCapacity(1024)
        enclose(write)
    }

    /// Writes an object whose first member is a list into the list's own array. A long list is thus not
    /// copied, if nothing else refers to it and it has spare capacity.
    /// - Parameter elements: JSON values, separated by commas.
    package init(
        _ name: JSONName, of elements: consuming [UInt8], _ write: (inout JSONObjectWriter) -> Void
    ) {
        json = elements
        json.insert(contentsOf: [UInt8(ascii: "{")] + name.json + [UInt8(ascii: "[")], at: 0)
        json.append(UInt8(ascii: "]"))
        write(&self)
        json.append(UInt8(ascii: "}"))
    }

    private mutating func enclose(_ write: (inout JSONObjectWriter) -> Void) {
        json.append(UInt8(ascii: "{"))
        write(&self)
        json.append(UInt8(ascii: "}"))
    }

    private mutating func begin(_ name: JSONName) {
        // Only before the first member, the last character is the object's bracket.
        if json.last != UInt8(ascii: "{") { json.append(UInt8(ascii: ",")) }
        json += name.json
    }

    package mutating func member(_ name: JSONName, _ text: String?) {
        guard let text else { return }
        begin(name)
        StrictJSON.appendQuoted(text, to: &json)
    }

    package mutating func member(_ name: JSONName, _ number: Int?) {
        guard let number else { return }
        begin(name)
        json += String(number).utf8
    }

    /// Also leaves out numbers that are not finite, which JSON can't represent.
    package mutating func member(_ name: JSONName, _ number: Double?) {
        guard let number, number.isFinite else { return }
        begin(name)
        json += StrictJSON.text(of: number).utf8
    }

    package mutating func member(_ name: JSONName, _ flag: Bool) {
        member(name, json: (flag ? "true" : "false").utf8)
    }

    /// - Parameter value: JSON.
    package mutating func member(_ name: JSONName, json value: some Collection<UInt8>) {
        begin(name)
        json += value
    }

    package mutating func object(_ name: JSONName, _ write: (inout JSONObjectWriter) -> Void) {
        begin(name)
        enclose(write)
    }

    package mutating func objects<Element>(
        _ name: JSONName, _ elements: [Element]?, _ write: (inout JSONObjectWriter, Element) -> Void
    ) {
        guard let elements else { return }
        begin(name)
        json.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            enclose { write(&$0, element) }
        }
        json.append(UInt8(ascii: "]"))
    }
}
