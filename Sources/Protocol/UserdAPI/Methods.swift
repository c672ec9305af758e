import Model

/// A method of io.userd: its name and the types of its parameters and reply.
package struct UserdMethod<Parameters: Codable & Sendable, Output: Codable & Sendable>: Sendable {
    /// Without `io.userd.`.
    package let name: String

    package var qualifiedName: String { UserdInterface.qualified(name) }
}

extension UserdMethod {
    package static var listUsers: UserdMethod<ListUsers, UserList> { .init(name: "ListUsers") }
    package static var getUser: UserdMethod<GetUser, UserReply> { .init(name: "GetUser") }
    package static var listManagers: UserdMethod<ListManagers, ManagerChain> { .init(name: "ListManagers") }
    package static var listReports: UserdMethod<ListReports, ReportTree> { .init(name: "ListReports") }
    package static var getPicture: UserdMethod<GetPicture, PictureReply> { .init(name: "GetPicture") }
    package static var listFacts: UserdMethod<ListFacts, FactList> { .init(name: "ListFacts") }
    package static var randomFact: UserdMethod<RandomFact, FactReply> { .init(name: "RandomFact") }
    package static var fetchFact: UserdMethod<NoParameters, FactReply> { .init(name: "FetchFact") }
    package static var getState: UserdMethod<NoParameters, DaemonState> { .init(name: "GetState") }
    package static var watch: UserdMethod<Watch, WatchedState> { .init(name: "Watch") }
    package static var history: UserdMethod<History, States> { .init(name: "History") }
    package static var sync: UserdMethod<Sync, States> { .init(name: "Sync") }
    package static var retry: UserdMethod<Retry, States> { .init(name: "Retry") }
    package static var cancel: UserdMethod<Cancel, States> { .init(name: "Cancel") }
    package static var getSettings: UserdMethod<NoParameters, SettingsReply> { .init(name: "GetSettings") }
    package static var getSurvey: UserdMethod<NoParameters, SurveyReply> { .init(name: "GetSurvey") }
    package static var setPaused: UserdMethod<SetPaused, NoParameters> { .init(name: "SetPaused") }
    package static var signIn: UserdMethod<SignIn, SignInReply> { .init(name: "SignIn") }
    package static var finishSignIn: UserdMethod<FinishSignIn, NoParameters> { .init(name: "FinishSignIn") }
    package static var signOut: UserdMethod<SignOut, SignOutReply> { .init(name: "SignOut") }
}

/// Matches a method's name, without `io.userd.`.
package func ~= <Parameters, Output>(method: UserdMethod<Parameters, Output>, name: String) -> Bool {
    method.name == name
}

package struct NoParameters: Hashable, Sendable, Codable {
    package init() {}
}

package struct SurveyReply: Hashable, Sendable, Codable {
    package var list: ListShape?

    package init(list: ListShape?) { self.list = list }
}

package typealias ListUsers = UserQuery

package struct UserList: Hashable, Sendable, Codable {
    package var users: [User]
    /// With a search, exact up to `SearchLimits.countedExactly`.
    package var total: Int
    package var next: String?
    package var freshness: Freshness
    /// Nil unless it was asked for, and from a userd of an earlier version.
    package var near: [Near]?

    package init(users: [User], total: Int, next: String?, freshness: Freshness, near: [Near]? = nil) {
        (self.users, self.total, self.next, self.freshness) = (users, total, next, freshness)
        self.near = near
    }
}

package struct GetUser: Hashable, Sendable, Codable {
    package var key: String
    /// The kinds of users among whom the key is looked for; nil for persons.
    package var kinds: [UserKind]?

    package init(key: String, kinds: [UserKind]? = nil) { (self.key, self.kinds) = (key, kinds) }
}

package struct UserReply: Hashable, Sendable, Codable {
    package var user: User
    package var freshness: Freshness

    package init(user: User, freshness: Freshness) {
        (self.user, self.freshness) = (user, freshness)
    }
}

package struct GetPicture: Hashable, Sendable, Codable {
    package var key: String
    package var size: PictureSize?

    package init(key: String, size: PictureSize? = nil) {
        (self.key, self.size) = (key, size)
    }
}

package struct PictureReply: Hashable, Sendable, Codable {
    /// Base64.
    package var content: String
    package var contentType: String
    package var placeholder: Bool

    package init(content: String, contentType: String, placeholder: Bool) {
        (self.content, self.contentType, self.placeholder) = (content, contentType, placeholder)
    }

    enum CodingKeys: String, CodingKey {
        case content
        case contentType = "content_type"
        case placeholder
    }
}

package typealias ListFacts = FactQuery

package struct FactList: Hashable, Sendable, Codable {
    package var facts: [Fact]
    package var total: Int
    package var next: String?
    package var freshness: Freshness

    package init(facts: [Fact], total: Int, next: String?, freshness: Freshness) {
        (self.facts, self.total, self.next, self.freshness) = (facts, total, next, freshness)
    }
}

package struct RandomFact: Hashable, Sendable, Codable {
    package var maxLength: Int?

    package init(maxLength: Int? = nil) { self.maxLength = maxLength }

    enum CodingKeys: String, CodingKey { case maxLength = "max_length" }
}

package struct FactReply: Hashable, Sendable, Codable {
    package var fact: Fact
    package var freshness: Freshness

    package init(fact: Fact, freshness: Freshness) {
        (self.fact, self.freshness) = (fact, freshness)
    }
}

package struct Watch: Hashable, Sendable, Codable {
    package var since: Int?
    package var epoch: String?
    package var resources: [Resource]?
    package var progress: Bool?

    package init(
        since: Int? = nil, epoch: String? = nil, resources: [Resource]? = nil, progress: Bool? = nil
    ) {
        (self.since, self.epoch, self.resources, self.progress) = (since, epoch, resources, progress)
    }
}

package struct WatchedState: Hashable, Sendable, Codable {
    package var state: State

    package init(state: State) { self.state = state }
}

package struct History: Hashable, Sendable, Codable {
    /// The most states in one reply, which stays below the 16 MiB that clients accept.
    package static let most = 10_000

    package var resource: Resource?
    package var limit: Int?

    package init(resource: Resource? = nil, limit: Int? = nil) {
        (self.resource, self.limit) = (resource, limit)
    }
}

package struct States: Hashable, Sendable, Codable {
    package var states: [State]

    package init(states: [State]) { self.states = states }
}

package struct Sync: Hashable, Sendable, Codable {
    package var resources: [Resource]?
    package var wait: Bool?
    package var acceptRemovals: Bool?
    package var full: Bool?

    package init(
        resources: [Resource]? = nil, wait: Bool? = nil, acceptRemovals: Bool? = nil, full: Bool? = nil
    ) {
        (self.resources, self.wait, self.acceptRemovals) = (resources, wait, acceptRemovals)
        self.full = full
    }

    enum CodingKeys: String, CodingKey {
        case resources, wait
        case acceptRemovals = "accept_removals"
        case full
    }
}

package struct Retry: Hashable, Sendable, Codable {
    package var resources: [Resource]?
    package var wait: Bool?
    package var now: Bool?

    package init(resources: [Resource]? = nil, wait: Bool? = nil, now: Bool? = nil) {
        (self.resources, self.wait, self.now) = (resources, wait, now)
    }
}

package struct Cancel: Hashable, Sendable, Codable {
    package var resources: [Resource]?

    package init(resources: [Resource]? = nil) { self.resources = resources }
}

package struct SettingsReply: Hashable, Sendable, Codable {
    package var settings: [SettingValue]
    package var readAt: Timestamp?
    /// Nil if the directory can't say what changed.
    package var changes: ChangeTrust.Level?

    package init(settings: [SettingValue], readAt: Timestamp? = nil, changes: ChangeTrust.Level? = nil) {
        (self.settings, self.readAt, self.changes) = (settings, readAt, changes)
    }

    enum CodingKeys: String, CodingKey {
        case settings
        case readAt = "read_at"
        case changes
    }
}

/// JSON: `Setting` of io.userd.
package struct SettingValue: Hashable, Sendable, Codable {
    /// `users.page_size`
    package var name: String
    package var value: String?
    /// The origin, such as a file and line.
    package var origin: String
    /// A sign that the value is wrong, for people; nil if there is none.
    package var hint: String?

    package init(name: String, value: String?, origin: String, hint: String? = nil) {
        (self.name, self.value, self.origin, self.hint) = (name, value, origin, hint)
    }
}

package struct SetPaused: Hashable, Sendable, Codable {
    package var paused: Bool

    package init(paused: Bool) { self.paused = paused }
}

package struct SignIn: Hashable, Sendable, Codable {
    package var grant: SignInGrant?

    package init(grant: SignInGrant? = nil) { self.grant = grant }
}

/// First what the person does, then who has signed in.
package struct SignInReply: Hashable, Sendable, Codable {
    package var address: String?
    package var code: String?
    /// Seconds.
    package var life: Double?
    package var account: Account?

    package init(
        address: String? = nil, code: String? = nil, life: Double? = nil, account: Account? = nil
    ) {
        (self.address, self.code, self.life, self.account) = (address, code, life, account)
    }
}

package struct FinishSignIn: Hashable, Sendable, Codable {
    package var redirect: String

    package init(redirect: String) { self.redirect = redirect }
}

package struct SignOut: Hashable, Sendable, Codable {
    package var keep: Bool?

    package init(keep: Bool? = nil) { self.keep = keep }
}

package struct SignOutReply: Hashable, Sendable, Codable {
    package var wasSignedIn: Bool
    package var complaint: String?

    package init(wasSignedIn: Bool, complaint: String? = nil) {
        (self.wasSignedIn, self.complaint) = (wasSignedIn, complaint)
    }

    enum CodingKeys: String, CodingKey {
        case wasSignedIn = "was_signed_in"
        case complaint
    }
}
