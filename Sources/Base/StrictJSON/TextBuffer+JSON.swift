// Objects, for values of which there are very many. Members stand in the order of the calls; those that are nil are left out.

extension TextBuffer {
    package mutating func object(_ write: (inout TextBuffer) -> Void) {
        append(UInt8(ascii: "{"))
        write(&self)
        append(UInt8(ascii: "}"))
    }

    /// - Parameter name: without characters that JSON escapes.
    @inline(__always)
    private mutating func begin(_ name: StaticString) {
        let isFirst = written.last == UInt8(ascii: "{")
        let length = name.utf8CodeUnitCount
        append(count: length + (isFirst ? 3 : 4)) { bytes in
            var at = 0
            if !isFirst {
                bytes[0] = UInt8(ascii: ",")
                at = 1
            }
            bytes[at] = UInt8(ascii: "\"")
            (bytes + at + 1).update(from: name.utf8Start, count: length)
            bytes[at + length + 1] = UInt8(ascii: "\"")
            bytes[at + length + 2] = UInt8(ascii: ":")
        }
    }

    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        text.withBytes { appendQuoted($0) }
    }

    /// - Parameter write: writes so many bytes, none of which JSON escapes.
    package mutating func member(
        _ name: StaticString, plainText count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        begin(name)
        append(UInt8(ascii: "\""))
        append(count: count, write)
        append(UInt8(ascii: "\""))
    }

    package mutating func member(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        begin(name)
        append(String(number))
    }

    /// JSON has no number that is not finite; such a member is left out, too.
    package mutating func member(_ name: StaticString, _ number: Double?) {
        guard let number, number.isFinite else { return }
        begin(name)
        append(String(StrictJSON.text(of: number)))
    }

    package mutating func object(_ name: StaticString, _ write: (inout TextBuffer) -> Void) {
        begin(name)
        object(write)
    }

    package mutating func objects<Element>(
        _ name: StaticString, _ elements: [Element]?, _ write: (inout TextBuffer, Element) -> Void
    ) {
        guard let elements else { return }
        begin(name)
        append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            object { write(&$0, element) }
        }
        append(UInt8(ascii: "]"))
    }
}
