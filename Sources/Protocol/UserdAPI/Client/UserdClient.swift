import Model
import StrictJSON
import Varlink

/// A client of io.userd: each method is a closure that blocks until userd has replied. The interface's text
/// documents them.
///
/// Throws `UserdError`, a `VarlinkError` of org.varlink.service, `VarlinkClientError` without a reply, and
/// `InvalidReply` for a reply that does not match the interface.
package struct UserdClient: Sendable {
    package typealias Call<Parameters, Output: Codable & Sendable> =
        @Sendable (Parameters) throws -> RawReply<Output>
    package typealias MoreCall<Parameters, Output: Codable & Sendable> =
        @Sendable (Parameters) throws -> RawReplies<Output>

    /// One page of the matching users. Throws `.invalidCursor`.
    package var listUsers: Call<ListUsers, UserList>
    /// All pages of the matching users, `limit` users each. Throws `.invalidCursor`.
    package var listAllUsers: MoreCall<ListUsers, UserList>
    /// Throws `.notFound` and `.ambiguous`.
    package var getUser: Call<GetUser, UserReply>
    /// Throws `.notFound` and `.ambiguous`.
    package var listManagers: Call<ListManagers, ManagerChain>
    /// Throws `.notFound` and `.ambiguous`.
    package var listReports: Call<ListReports, ReportTree>
    /// May take seconds if userd has to fetch the picture. Throws `.notFound` and `.ambiguous`.
    package var getPicture: Call<GetPicture, PictureReply>
    /// Like `getPicture`, but throws `.timedOut` if a fetch takes more than a moment.
    package var getPictureSoon: Call<GetPicture, PictureReply>
    /// One page of the matching facts. Throws `.invalidCursor`.
    package var listFacts: Call<ListFacts, FactList>
    /// All pages of the matching facts, `limit` facts each. Throws `.invalidCursor`.
    package var listAllFacts: MoreCall<ListFacts, FactList>
    /// Throws `.noFacts`.
    package var randomFact: Call<RandomFact, FactReply>
    /// Waits for upstream, as long as userd answers other calls. Throws `.upstreamFailed`.
    package var fetchFact: @Sendable () throws -> RawReply<FactReply>
    package var getState: @Sendable () throws -> RawReply<DaemonState>
    /// Never ends by itself. Throws `.sequenceGone`, and `.fellBehind` if replies are read too slowly.
    package var watch: MoreCall<Watch, WatchedState>
    package var history: Call<History, States>
    /// With `wait`, waits for the syncs, as long as userd answers other calls. A failed sync is not thrown:
    /// see its state.
    package var sync: Call<Sync, States>
    package var retry: Call<Retry, States>
    package var cancel: Call<Cancel, States>
    package var getSettings: @Sendable () throws -> RawReply<SettingsReply>
    package var getSurvey: @Sendable () throws -> RawReply<SurveyReply>
    package var setPaused: Call<SetPaused, NoParameters>
    /// Two replies: what the person does, and who has signed in. Waits for the person and the provider; the sign-in
    /// ends with the call. Throws `.upstreamFailed`.
    package var signIn: MoreCall<SignIn, SignInReply>
    /// Throws `.upstreamFailed` if the address belongs to no sign-in that waits.
    package var finishSignIn: Call<FinishSignIn, NoParameters>
    /// Waits for the provider.
    package var signOut: Call<SignOut, SignOutReply>
}

/// A reply, decoded on demand. Keeps the bytes, because a later version of userd may send more members than
/// are known here.
package struct RawReply<Output: Codable & Sendable>: Sendable {
    /// An object.
    package let value: JSONValue
    /// Fully qualified.
    package let method: String

    package var bytes: [UInt8] { Array(value.raw) }

    package init<Parameters>(_ value: JSONValue, to method: UserdMethod<Parameters, Output>) {
        self.value = value
        self.method = method.qualifiedName
    }

    /// - Parameter bytes: a valid JSON object.
    package init<Parameters>(_ bytes: [UInt8], to method: UserdMethod<Parameters, Output>) {
        self.init(JSONValue(trusting: bytes), to: method)
    }

    package init<Parameters>(_ output: Output, to method: UserdMethod<Parameters, Output>) throws {
        self.init(try encoded(output), to: method)
    }

    package func decoded() throws(InvalidReply) -> Output {
        try UserdAPI.decoded(Output.self, from: value, replyTo: method)
    }
}

/// The replies to one call with `more`.
package struct RawReplies<Output: Codable & Sendable>: Sendable {
    package typealias Body = (RawReply<Output>) throws -> VarlinkClient.Next

    private let run: @Sendable (Body, VarlinkClient.Idle?) throws -> Void
    /// Makes `forEach` throw `VarlinkClientError.interrupted`, from any thread.
    package let interrupt: @Sendable () -> Void

    /// - Parameter run: makes the call.
    package init(
        _ run: @escaping @Sendable (Body, _ whenIdle: VarlinkClient.Idle?) throws -> Void,
        interrupt: @escaping @Sendable () -> Void = {}
    ) {
        self.run = run
        self.interrupt = interrupt
    }

    /// Makes the call, once, and passes each reply to the body until the last, or until the body stops.
    package func forEach(_ body: Body, whenIdle: VarlinkClient.Idle? = nil) throws {
        try run(body, whenIdle)
    }
}

/// - Parameter method: fully qualified.
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
    /// Such as `users.3.name.last is missing`. Quotes no content.
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
        case .typeMismatch(_, let context): return path(context) + " has the wrong type"
        case .dataCorrupted(let context): return path(context) + " has an unknown value"
        @unknown default: return "it can't be read"
        }
    }
}
