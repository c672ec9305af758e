import StrictJSON
import Synchronization
import Varlink

/// The service of the dialogues: one method for each kind of outcome.
package enum DialogueService {
    package static let description = """
        interface org.example.table
        type Kind (one, K)
        type Leaf (n: int, kind: ?Kind)
        # Answers with its parameters.
        method Echo(
          bool: ?bool, int: ?int, float: ?float, string: ?string, object: ?object, kind: ?Kind, leaf: ?Leaf,
          list: ?[]int, map: ?[string]int, K: ?int
        ) -> (
          bool: ?bool, int: ?int, float: ?float, string: ?string, object: ?object, kind: ?Kind, leaf: ?Leaf,
          list: ?[]int, map: ?[string]int, K: ?int
        )
        method Keep(first: string, second: int) -> ()
        # Has three replies.
        method List() -> (n: int)
        # [Requires 'more' flag]
        method Count(to: int) -> (n: int)
        # Fails after its first reply.
        method Falter() -> (n: int)
        # Has one reply, and then no last one.
        method Dangle() -> (n: int)
        method Refuse() -> ()
        # Fails without an error to answer with.
        method Break() -> ()
        error Refused (why: string)
        """

    package static func make() throws(InterfaceSyntaxError) -> VarlinkService {
        try VarlinkService(
            vendor: "userd", product: "table", version: "1", url: "https://example.org/",
            interfaces: [try InterfaceHandler(description: description, handle: answer)])
    }

    private struct NoVarlinkError: Error {}

    private static let refusal = VarlinkError(
        name: "org.example.table.Refused", parameters: Array(#"{"why":"asked to"}"#.utf8))

    @Sendable private static func answer(_ call: MethodCall) async throws -> Answer {
        switch call.methodName {
        case "Echo": return .single(call.parameters)
        case "Keep": return .single(emptyParameters)
        case "List": return counting(to: 3)
        case "Count":
            return counting(
                to: try JSONValue(validating: call.parameters, maximumDepth: 1)["to"]?.int ?? 0)
        case "Falter": return counting(to: 2) { _ in throw refusal }
        case "Dangle": return counting(to: 2) { _ in nil }
        case "Refuse": throw refusal
        default: throw NoVarlinkError()
        }
    }

    /// - Parameter last: the last reply; nil if it is like the others.
    private static func counting(
        to end: Int64, last: (@Sendable (Int64) throws -> Reply?)? = nil
    ) -> Answer {
        let sent = Mutex<Int64>(0)
        return .stream(
            ReplyStream(next: {
                let n = sent.withLock {
                    $0 += 1
                    return $0
                }
                if n == end, let last { return try last(n) }
                return Reply(parameters: Array("{\"n\":\(n)}".utf8), continues: n < end)
            }))
    }
}
