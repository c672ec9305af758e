import StrictJSON
import TestSupport
import Varlink

/// Values that the text of an interface allows, as JSON.
struct InterfaceValues {
    enum Optionals: CaseIterable {
        case all, none
        /// Some of them, and some that are null.
        case some
    }

    let interface: Interface
    let optionals: Optionals
    private var random: SeededRandom

    init(_ interface: Interface, _ optionals: Optionals, seed: UInt64) {
        self.interface = interface
        self.optionals = optionals
        random = SeededRandom(seed: seed)
    }

    mutating func object(_ fields: [Interface.Field]) -> String {
        var members: [String] = []
        for field in fields.shuffled(using: &random) {
            guard let value = value(field.type, field.name) else { continue }
            members.append("\"\(field.name)\":\(value)")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Nil if it is left out.
    private mutating func value(_ type: Interface.ValueType, _ name: String) -> String? {
        switch type {
        case .bool: return "\(Bool.random(using: &random))"
        case .int: return "\(pick([0, 1, -1, .min, .max, Int.random(in: -1000...1000, using: &random)]))"
        case .float: return "\(pick([0, -0.5, 1.0e-7, 1.0e300, .random(in: -180...180, using: &random)]))"
        case .string: return quoted(text(name))
        case .object: return #"{"a":[1]}"#
        case .enumeration(let cases): return quoted(pick(cases))
        case .structure(let fields): return object(fields)
        case .reference(let name): return interface.type(name).flatMap { value($0, name) }
        case .nullable(let wrapped):
            let isThere = optionals == .all || optionals == .some && Bool.random(using: &random)
            guard !isThere else { return value(wrapped, name) }
            return optionals == .some && Bool.random(using: &random) ? "null" : nil
        case .array(let element):
            let count = Int.random(in: (optionals == .all ? 1 : 0)...3, using: &random)
            return "[\((0..<count).compactMap { _ in value(element, name) }.joined(separator: ","))]"
        case .dictionary(let element):
            return "{\(value(element, name).map { "\"any name\":\($0)" } ?? "")}"
        }
    }

    /// The format of a text follows from its name, since the interface's types do not tell it.
    private mutating func text(_ name: String) -> String {
        if ["since", "until"].contains(name) || name.hasSuffix("_at") { return time() }
        // The words of advice end the message.
        if name == "message" { return "no; run `kinit`" }
        if name == "advice" { return "get-ticket" }
        guard name != "cause" else {
            return pick([
                "created", "due", "requested", "retried", "committed", "failed", "cancelled", "interrupted",
                "committed: 20 added, 3 removed",
            ])
        }
        return pick(["", "a", "+/==", "Ǆ “é” 🐈‍⬛", "\u{0}\u{1B}\"\\/\n", "e\u{301}\u{202E}\u{FFFF}"])
    }

    private mutating func time() -> String {
        func digits(_ range: ClosedRange<Int>, _ width: Int) -> String {
            let number = String(Int.random(in: range, using: &random))
            return String(repeating: "0", count: width - number.count) + number
        }
        return "\(digits(1...9999, 4))-\(digits(1...12, 2))-\(digits(1...28, 2))"
            + "T\(digits(0...23, 2)):\(digits(0...59, 2)):\(digits(0...59, 2)).\(digits(0...999, 3))Z"
    }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: all.indices, using: &random)]
    }

    private func quoted(_ text: String) -> String { String(decoding: StrictJSON.quoted(text), as: UTF8.self) }
}

extension JSONValue {
    /// The same text for all spellings of one value; null counts as absent.
    var canonical: String {
        if let members {
            let values = members.filter { !$0.value.isNull }.map { ($0.name, $0.value.canonical) }
            return
                "{\(values.sorted { $0.0 < $1.0 }.map { "\($0.debugDescription):\($1)" }.joined(separator: ","))}"
        }
        if let elements { return "[\(elements.map(\.canonical).joined(separator: ","))]" }
        if let string { return string.unicodeScalars.map { "\\u{\(String($0.value, radix: 16))}" }.joined() }
        if let double, int == nil { return Int64(exactly: double).map(String.init) ?? "\(double)" }
        return String(decoding: raw, as: UTF8.self)
    }
}
