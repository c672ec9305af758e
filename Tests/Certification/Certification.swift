import StrictJSON
import Varlink

/// Follows each client through the steps, and forgets it at its first mistake.
actor Certification {
    static let interface = "org.varlink.certification"

    /// A wrong reply to a method.
    struct Lie: Sendable {
        let method: String
        /// A JSON object.
        let reply: String
    }

    private let lie: Lie?
    /// The number of the next step, by the client's id.
    private var next: [String: Int] = [:]

    init(lie: Lie?) { self.lie = lie }

    nonisolated func handler() throws -> InterfaceHandler {
        let description = String(decoding: PackageResources.org_varlink_certification_varlink, as: UTF8.self)
        return try InterfaceHandler(description: description) { try await self.answer($0) }
    }

    private func answer(_ call: MethodCall) throws -> Answer {
        if call.methodName == Step.all[0].method { return try start(call) }
        let client = try JSONValue(validating: call.parameters, maximumDepth: .max)["client_id"]?.string ?? ""
        guard let number = next[client] else {
            throw VarlinkError(name: Self.interface + ".ClientIdError")
        }
        let step = Step.all[number]
        next[client] = nil
        try check(call, against: step, of: client)
        if number + 1 < Step.all.count { next[client] = number + 1 }
        return answer(to: step)
    }

    private func start(_ call: MethodCall) throws -> Answer {
        try check(call, against: Step.all[0], of: nil)
        let client = String(UInt64.random(in: .min ... .max), radix: 16)
        next[client] = 1
        return .single(Array((said("Start") ?? #"{"client_id":"\#(client)"}"#).utf8))
    }

    private func check(_ call: MethodCall, against step: Step, of client: String?) throws {
        let wanted = step.call(of: client)
        guard try !call.means(wanted) else { return }
        throw VarlinkError(
            name: Self.interface + ".CertificationError",
            parameters: Array(#"{"wants":\#(wanted.message),"got":\#(call.message)}"#.utf8))
    }

    private func said(_ method: String) -> String? {
        lie?.method == method ? lie?.reply : nil
    }

    private func answer(to step: Step) -> Answer {
        let replies = step.replies.map { Array((said(step.method) ?? $0).utf8) }
        guard step.more else { return .single(replies[0]) }
        let rest = Rest(replies)
        return .stream(ReplyStream(next: { await rest.next() }))
    }
}

/// Replies that are still to be sent.
private actor Rest {
    private var replies: [[UInt8]]

    init(_ replies: [[UInt8]]) { self.replies = replies }

    func next() -> Reply? {
        guard !replies.isEmpty else { return nil }
        let parameters = replies.removeFirst()
        return Reply(parameters: parameters, continues: !replies.isEmpty)
    }
}

extension Step {
    /// - Parameter client: the client's id; nil before it has one.
    fileprivate func call(of client: String?) -> MethodCall {
        let id = client.map { #"{"client_id":"\#($0)""# + (parameters == "{}" ? "" : ",") } ?? "{"
        return MethodCall(
            method: "\(Certification.interface).\(method)",
            parameters: Array((id + parameters.dropFirst()).utf8),
            more: more, oneway: oneway)
    }
}

extension MethodCall {
    /// The call as JSON, always with parameters.
    fileprivate var message: String {
        let parameters = String(decoding: parameters, as: UTF8.self)
        let flags = (more ? #","more":true"# : "") + (oneway ? #","oneway":true"# : "")
        return #"{"method":"\#(method)","parameters":\#(parameters)\#(flags)}"#
    }

    fileprivate func means(_ other: MethodCall) throws -> Bool {
        try (method, more, oneway) == (other.method, other.more, other.oneway)
            && JSONValue(validating: parameters, maximumDepth: .max)
                .means(JSONValue(validating: other.parameters, maximumDepth: .max))
    }
}

extension JSONValue {
    /// Whether both mean the same, regardless of white space, the order of members and the form of numbers. A
    /// null member counts as absent.
    fileprivate func means(_ other: JSONValue) -> Bool {
        switch (kind, other.kind) {
        case (.object, .object):
            let others = other.presentMembers
            return presentMembers.count == others.count
                && presentMembers.allSatisfy { name, value in
                    others.contains { $0.name == name && $0.value.means(value) }
                }
        case (.array, .array):
            return elements?.elementsEqual(other.elements ?? [], by: { $0.means($1) }) ?? false
        case (.string, .string): return string == other.string
        case (.number, .number): return double == other.double
        case (.bool, .bool): return bool == other.bool
        case (.null, .null): return true
        default: return false
        }
    }

    private var presentMembers: [(name: String, value: JSONValue)] {
        (members ?? []).filter { !$0.value.isNull }
    }
}
