import StrictJSON

/// A call as a handler sees it.
package struct MethodCall: Hashable, Sendable {
    /// Fully qualified, such as "io.userd.ListUsers".
    package let method: String
    /// A JSON object; `{}` where the call had none.
    package let parameters: [UInt8]
    /// The caller takes several replies.
    package let more: Bool
    /// The caller takes no reply.
    package let oneway: Bool

    package init(
        method: String, parameters: [UInt8] = emptyParameters, more: Bool = false, oneway: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.more = more
        self.oneway = oneway
    }

    package var methodName: String { QualifiedName(method).name }
}

/// The name of a method or an error, taken apart.
struct QualifiedName {
    /// The part before the last dot; empty where there is none.
    let interface: String
    /// The part after the last dot.
    let name: String

    init(_ text: String) {
        // A dot is one byte, whatever combines with it in print.
        let dot = text.utf8.lastIndex(of: UInt8(ascii: "."))
        interface = dot.map { String(text[..<$0]) } ?? ""
        name = dot.map { String(text[text.utf8.index(after: $0)...]) } ?? text
    }
}

package let emptyParameters = Array("{}".utf8)

/// What a peer sent is no Varlink message: the connection is to be closed without a word.
package struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A message of a client, before anything is known about its method.
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
                guard value.kind == .object else { throw ProtocolViolation("parameters that are no object") }
                parameters = Array(value.raw)
            case "more", "oneway", "upgrade":
                guard let flag = value.bool else {
                    throw ProtocolViolation("a flag that is no boolean: \(name)")
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
        throw ProtocolViolation("a message that is no JSON: \(error)")
    }
    guard let members = message.members else { throw ProtocolViolation("a message that is no object") }
    return members
}

/// Members with a dot in their name are vendors' extensions (UAPI.20), to be ignored.
func refuseUnlessExtension(_ name: String) throws(ProtocolViolation) {
    guard name.utf8.contains(UInt8(ascii: ".")) else { throw ProtocolViolation("an unknown member") }
}
