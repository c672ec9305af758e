/// A client's bytes on a new connection, and the exact reply that a server of `DialogueService` must send.
package struct Dialogue: Sendable, CustomStringConvertible {
    package enum End: Sendable {
        /// The connection accepts further calls.
        case open
        /// The server waits for the rest of a message.
        case unfinished
        /// The server closes the connection.
        case closed
    }

    /// The rule, in words.
    package let name: String
    package let input: [UInt8]
    package let output: [UInt8]
    package let end: End

    package var description: String { name }

    /// Too long for a test that splits it at every byte.
    package var isLong: Bool { input.count > 2_000 }

    package static let all: [Dialogue] = [
        calls, withoutMethod, methodsOfOtherKinds, methods, flagsThatAreNoBooleans, flagsThatAreFalse, flags,
        parameters, types, messages, messagesOfOtherKinds, beginnings, separators, objects, repeatedNames,
        numbers, noNumbers, ints, noInts, brokenInts, strings, controlCharacters, brokenEscapes,
        brokenStrings,
        invalidUTF8, limits,
    ].flatMap { $0 }

    package init(_ name: String, bytes: [UInt8], output: [UInt8], _ end: End) {
        self.name = name
        input = bytes
        self.output = output
        self.end = end
    }

    /// - Parameter replies: without their NULs.
    init(_ name: String, bytes: [UInt8], _ replies: [String], _ end: End) {
        self.init(name, bytes: bytes, output: replies.flatMap { Array($0.utf8) + [0] }, end)
    }

    /// - Parameters:
    ///   - message: without its final NUL; may contain several messages separated by NULs.
    ///   - replies: without their NULs.
    init(_ name: String, _ message: String, _ replies: String..., end: End = .open) {
        self.init(name, bytes: Array(message.utf8) + [0], replies, end)
    }

    static func closes(_ name: String, _ message: String) -> Dialogue {
        Dialogue(name, message, end: .closed)
    }
}

/// - Parameter rest: further members, each preceded by a comma.
func call(_ method: String, _ rest: String = "") -> String {
    #"{"method":"org.example.table.\#(method)"\#(rest)}"#
}

func echo(_ parameters: String) -> String { call("Echo", #","parameters":\#(parameters)"#) }

func reply(_ parameters: String = "{}") -> String { #"{"parameters":\#(parameters)}"# }

/// A reply with one of the errors of org.varlink.service.
///
/// - Parameter value: escaped, without quotes.
func refusal(_ error: String, _ parameter: String, _ value: String) -> String {
    #"{"error":"org.varlink.service.\#(error)","parameters":{"\#(parameter)":"\#(value)"}}"#
}
