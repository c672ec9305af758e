import Model
import StrictJSON
import Varlink

/// io.userd as its clients call it: each method a closure that blocks until userd has answered. What each takes and
/// answers is said in the interface's text.
///
/// Thrown are `UserdError`, a `VarlinkError` of org.varlink.service, `VarlinkClientError` where there was no answer, and
/// `InvalidReply` where it is not what the interface says.
package struct UserdClient: Sendable {
    package typealias Call<Parameters, Output: Codable & Sendable> =
        @Sendable (Parameters) throws -> UserdReply<Output>
    package typealias MoreCall<Parameters, Output: Codable & Sendable> =
        @Sendable (Parameters) throws -> UserdReplies<Output>

    /// One page of the users that fit. Throws `.invalidCursor`.
    package var listUsers: Call<ListUsers, UserList>
    /// All pages of the users that fit, `limit` users each. Throws `.invalidCursor`.
    package var listAllUsers: MoreCall<ListUsers, UserList>
    /// Throws `.notFound` and `.ambiguous`.
    package var getUser: Call<GetUser, UserReply>
    /// Takes some seconds where userd has to fetch it. Throws `.notFound` and `.ambiguous`.
    package var getPicture: Call<GetPicture, PictureReply>
    /// The same for who can do without: throws `.timedOut` where userd has to fetch it and that takes more than a moment.
    package var getPictureSoon: Call<GetPicture, PictureReply>
    /// One page of the facts that fit. Throws `.invalidCursor`.
    package var listFacts: Call<ListFacts, FactList>
    /// All pages of the facts that fit, `limit` facts each. Throws `.invalidCursor`.
    package var listAllFacts: MoreCall<ListFacts, FactList>
    /// Throws `.noFacts`.
    package var randomFact: Call<RandomFact, FactReply>
    /// Takes as long as upstream. Throws `.upstreamFailed`.
    package var fetchFact: @Sendable () throws -> UserdReply<FactReply>
    package var getState: @Sendable () throws -> UserdReply<DaemonState>
    /// Never ends by itself. Throws `.sequenceGone`, and `.fellBehind` where replies were left unread for too long.
    package var watch: MoreCall<Watch, WatchedState>
    package var history: Call<History, States>
    /// With `wait`, takes as long as the syncs. One that failed is no error: its state tells.
    package var sync: Call<Sync, States>
    /// With `wait`, takes as long as the syncs. One that failed again is no error: its state tells.
    package var retry: Call<Retry, States>
    package var cancel: Call<Cancel, States>
    package var setPaused: Call<SetPaused, NoParameters>
}

/// What userd answered. It is decoded only when it is asked for, and kept as it came: a later version of userd may say more
/// than is known here.
package struct UserdReply<Output: Codable & Sendable>: Sendable {
    /// A JSON object, valid.
    package let bytes: [UInt8]
    /// Fully qualified.
    package let method: String

    package init<Parameters>(_ bytes: [UInt8], to method: UserdMethod<Parameters, Output>) {
        self.bytes = bytes
        self.method = method.qualifiedName
    }

    package init<Parameters>(_ output: Output, to method: UserdMethod<Parameters, Output>) throws {
        self.init(try encoded(output), to: method)
    }

    package func decoded() throws(InvalidReply) -> Output {
        try UserdAPI.decoded(Output.self, from: JSONValue(trusting: bytes), replyTo: method)
    }
}

/// What userd answers to one call with `more`.
package struct UserdReplies<Output: Codable & Sendable>: Sendable {
    package typealias Body = (UserdReply<Output>) throws -> VarlinkClient.Next

    /// Makes the call, once, and calls the body with each reply, until the last or until the body wants no more.
    package var forEach: @Sendable (Body) throws -> Void
    /// Makes `forEach` throw `VarlinkClientError.interrupted`, from any thread.
    package var interrupt: @Sendable () -> Void

    package init(
        forEach: @escaping @Sendable (Body) throws -> Void, interrupt: @escaping @Sendable () -> Void = {}
    ) {
        self.forEach = forEach
        self.interrupt = interrupt
    }
}

/// - Parameters:
///   - value: a reply, or a part of one.
///   - method: fully qualified.
package func decoded<T: Decodable>(
    _ type: T.Type, from value: JSONValue, replyTo method: String
) throws(InvalidReply) -> T {
    do {
        return try value.decode(type)
    } catch {
        throw InvalidReply(method: method, reason: (error as? DecodingError)?.reason ?? "\(error)")
    }
}

extension DecodingError {
    /// Such as `users.3.name.last is missing`. Cites nothing of what was sent.
    fileprivate var reason: String {
        func path(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = (context.codingPath + (last.map { [$0] } ?? [])).map {
                $0.intValue.map(String.init) ?? $0.stringValue
            }
            return keys.isEmpty ? "it" : keys.joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context): return path(context, key) + " is missing"
        case .valueNotFound(_, let context): return path(context) + " is null"
        case .typeMismatch(_, let context): return path(context) + " is of another type"
        case .dataCorrupted(let context): return path(context) + " has a value that is not known here"
        @unknown default: return "it can't be read"
        }
    }
}
