import CSystemd
import Glibc

/// A message of the bus. Its types are written as D-Bus writes them: `a{sv}`.
final class BusMessage {
    /// A value in a dictionary.
    enum Value: Hashable {
        case text(String), texts([String]), byte(UInt8), flag(Bool)

        fileprivate var type: String {
            switch self {
            case .text: "s"
            case .texts: "as"
            case .byte: "y"
            case .flag: "b"
            }
        }
    }

    let pointer: OpaquePointer

    /// Shares a message with sd-bus, which keeps it, too.
    init(shared message: OpaquePointer) { pointer = libsystemd.sd_bus_message_ref(message) ?? message }

    init(owned message: OpaquePointer?) throws {
        guard let message else { throw BusError(code: -ENOMEM) }
        pointer = message
    }

    deinit { _ = libsystemd.sd_bus_message_unref(pointer) }

    var sender: String { text(libsystemd.sd_bus_message_get_sender(pointer)) }
    var interface: String { text(libsystemd.sd_bus_message_get_interface(pointer)) }
    var member: String { text(libsystemd.sd_bus_message_get_member(pointer)) }

    private func text(_ characters: UnsafePointer<CChar>?) -> String {
        characters.map { String(cString: $0) } ?? ""
    }

    func hasSignature(_ signature: String) -> Bool {
        libsystemd.sd_bus_message_has_signature(pointer, signature) > 0
    }

    /// Sends the answer to this call. sd-bus drops it if the caller wants none.
    func reply(_ fill: (BusMessage) throws -> Void = { _ in }) throws {
        var made: OpaquePointer?
        try checkedBus(libsystemd.sd_bus_message_new_method_return(pointer, &made))
        let reply = try BusMessage(owned: made)
        try fill(reply)
        try checkedBus(libsystemd.sd_bus_send(nil, reply.pointer, nil))
    }
}

/// Reading, in the order of the signature.
extension BusMessage {
    func string() throws -> String {
        var characters: UnsafePointer<CChar>?
        try read("s", into: &characters)
        return text(characters)
    }

    func number() throws -> UInt32 {
        var number: UInt32 = 0
        try read("u", into: &number)
        return number
    }

    private func read<T>(_ type: Unicode.Scalar, into value: inout T) throws {
        let code = withUnsafeMutablePointer(to: &value) {
            libsystemd.sd_bus_message_read_basic(pointer, typeCode(type), $0)
        }
        // 0 at the end of the message.
        guard try checkedBus(code) > 0 else { throw BusError.wrongArguments }
    }

    func strings() throws -> [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try checkedBus(libsystemd.sd_bus_message_read_strv(pointer, &list))
        guard let list else { return [] }
        defer { free(list) }
        var strings: [String] = []
        while let word = list[strings.count] {
            strings.append(String(cString: word))
            free(word)
        }
        return strings
    }
}

/// Writing, in the order of the signature.
extension BusMessage {
    func append(_ text: String) throws {
        let code = text.withCString {
            libsystemd.sd_bus_message_append_basic(pointer, typeCode("s"), $0)
        }
        try checkedBus(code)
    }

    /// - Parameter type: the value's, such as `i` for Int32.
    func append<T: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: T) throws {
        let code = withUnsafePointer(to: value) {
            libsystemd.sd_bus_message_append_basic(pointer, typeCode(type), $0)
        }
        try checkedBus(code)
    }

    /// - Parameter kind: `a` for an array, `r` for a structure, `v` for a value of any type, `e` for a dictionary's entry.
    func append(_ kind: Unicode.Scalar, of contents: String, _ body: () throws -> Void) throws {
        try checkedBus(
            libsystemd.sd_bus_message_open_container(pointer, typeCode(kind), contents))
        try body()
        try checkedBus(libsystemd.sd_bus_message_close_container(pointer))
    }

    func append(_ texts: [String]) throws {
        try append("a", of: "s") { for text in texts { try append(text) } }
    }

    func append(_ dictionary: [(String, Value)]) throws {
        try append("a", of: "{sv}") {
            for (key, value) in dictionary {
                try append("e", of: "sv") {
                    try append(key)
                    try append("v", of: value.type) { try append(value) }
                }
            }
        }
    }

    private func append(_ value: Value) throws {
        switch value {
        case .text(let text): try append(text)
        case .texts(let texts): try append(texts)
        case .byte(let byte): try append("y", byte)
        // D-Bus has it in four bytes.
        case .flag(let flag): try append("b", Int32(flag ? 1 : 0))
        }
    }
}

private func typeCode(_ type: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: type.value) }
