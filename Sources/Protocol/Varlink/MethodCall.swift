import StrictJSON

/// A call as a handler receives it.
package struct MethodCall: Hashable, Sendable {
    /// Fully qualified, such as "io.userd.ListUsers".
    package let method: String
    /// A validated JSON object; `{}` if the call had no parameters.
    package let parameters: [UInt8]
    /// The client accepts several replies.
    package let more: Bool
    /// The client expects no reply.
    package let oneway: Bool

    package init(
        method: String, parameters: [UInt8] = emptyParameters, more: Bool = false, oneway: Bool = false
    ) {
        (self.method, self.parameters, self.more, self.oneway) = (method, parameters, more, oneway)
    }

    package var methodName: String { QualifiedName(method).name }
}

struct QualifiedName {
    /// The part before the last dot; empty without a dot.
    let interface: String
    /// The part after the last dot.
    let name: String

    init(_ text: String) {
        // Search bytes: a dot followed by a combining character is another `Character`.
        let dot = text.utf8.lastIndex(of: UInt8(ascii: "."))
        interface = dot.map { String(text[..<$0]) } ?? ""
        name = dot.map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }
}

package let emptyParameters = Array("{}".utf8)

/// A peer broke the Varlink protocol: the connection is closed without a reply.
package struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A client's message before its method is looked up.
struct IncomingCall: Sendable {
    let call: MethodCall
    let upgrade: Bool

    /// - Parameter frame: without the NUL.
    init(_ frame: ArraySlice<UInt8>, maximumDepth: Int) throws(ProtocolViolation) {
        var method: String?
        var parameters = emptyParameters
        var flags: [String: Bool] = [:]
        for (name, value) in try messageMembers(frame, maximumDepth: maximumDepth) {
            switch name {
            case "method":
                method = value.string
            case "parameters" where value.isNull:
                break
            case "parameters":
                guard value.kind == .object else { throw ProtocolViolation("parameters is not an object") }
                parameters = Array(value.raw)
            case "more", "oneway", "upgrade":
                guard let flag = value.bool else {
                    throw ProtocolViolation("the flag \(name) is not a boolean")
                }
                flags[name] = flag
            default:
                try refuseUnlessExtension(name)
            }
        }
        guard let method, !method.isEmpty else { throw ProtocolViolation("a call without a method") }
        guard flags.values.count(where: { $0 }) <= 1 else { throw ProtocolViolation("a call with two flags") }
        call = MethodCall(
            method: method, parameters: parameters, more: flags["more"] ?? false,
            oneway: flags["oneway"] ?? false)
        upgrade = flags["upgrade"] ?? false
    }
}

func messageMembers(
    _ frame: ArraySlice<UInt8>, maximumDepth: Int
) throws(ProtocolViolation) -> [(name: String, value: JSONValue)] {
    let message: JSONValue
    do {
        message = try JSONValue(validating: frame, maximumDepth: maximumDepth)
    } catch {
        throw ProtocolViolation("a message is not valid JSON: \(error)")
    }
    guard let members = message.members else { throw ProtocolViolation("a message is not an object") }
    return members
}

/// Members with a dot in their name are vendor extensions (UAPI.20) and are ignored.
func refuseUnlessExtension(_ name: String) throws(ProtocolViolation) {
    guard name.utf8.contains(UInt8(ascii: ".")) else { throw ProtocolViolation("an unknown member") }
}
