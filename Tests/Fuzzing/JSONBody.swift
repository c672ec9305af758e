import Foundation
import StrictJSON

func checkJSON(_ input: [UInt8]) throws(BrokenInvariant) {
    let value: JSONValue
    do {
        value = try JSONValue(validating: input, maximumDepth: 32)
    } catch {
        try requirePrintable(error.description)
        return try require(0...input.count ~= error.offset, "an error at \(error.offset)")
    }
    // Compares with Foundation's parser, which is more lenient: it must accept the text and read the same.
    guard let other = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed) else {
        throw BrokenInvariant(description: "no JSON for Foundation")
    }
    // Foundation drops byte order marks in strings.
    guard !String(decoding: input, as: UTF8.self).unicodeScalars.contains("\u{FEFF}") else { return }
    try requireSame(value, other)
}

private func requireSame(_ value: JSONValue, _ other: Any) throws(BrokenInvariant) {
    switch value.kind {
    case .null:
        try require(other is NSNull, "null")
    case .bool:
        try require(value.bool == other as? Bool, "a boolean")
    case .number:
        // Foundation rounds long numbers.
        let text = String(decoding: value.raw, as: UTF8.self)
        try require(value.double == strtod(text, nil), "a number")
        try require(value.int.map { Double($0) == value.double } ?? true, "an int")
    case .string:
        let string = value.string ?? ""
        try require((other as? String)?.utf8.elementsEqual(string.utf8) ?? false, "a string")
        try require(
            (try? JSONValue(validating: StrictJSON.quoted(string), maximumDepth: 0))?.string == string,
            "a string, quoted")
    case .array:
        let (elements, others) = (value.elements ?? [], other as? [Any] ?? [])
        try require(elements.count == others.count, "elements")
        for (element, other) in zip(elements, others) { try requireSame(element, other) }
    case .object:
        let (members, others) = (value.members ?? [], other as? [String: Any] ?? [:])
        // Foundation merges names that Unicode considers equivalent.
        let names = Set(members.map(\.name))
        try require(names.count == others.count, "members")
        guard names.count == members.count else { return }
        for (name, member) in members {
            guard let other = others[name] else { throw BrokenInvariant(description: "the member \(name)") }
            try requireSame(member, other)
        }
    }
}
