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

    /// The part before the last dot; empty where there is none.
    package var interfaceName: String {
        lastDot.map { String(method[..<$0]) } ?? ""
    }

    /// The part after the last dot.
    package var methodName: String {
        lastDot.map { String(method[method.utf8.index(after: $0)...]) } ?? method
    }

    /// A dot is one byte, whatever combines with it in print.
    private var lastDot: String.Index? { method.utf8.lastIndex(of: UInt8(ascii: ".")) }
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
struct IncomingCall {
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
