import Model
import StrictJSON

extension Recording {
    /// Something that a client had userd do: without it, other syncs come about than those that were recorded.
    package struct Call: Hashable, Sendable {
        package enum Method: Hashable, Sendable {
            case sync(Resource, acceptsRemovals: Bool)
            case retry(Resource)
            case cancel(Resource)
            case setPaused(Bool)
            case fetchFact
        }

        package var method: Method
        /// So many transitions had there been since userd's start.
        package var transitions: Int
        /// For so long it had then been waited for what is due, without any sync.
        package var idle: Duration

        package init(_ method: Method, after transitions: Int, idle: Duration = .zero) {
            self.method = method
            self.transitions = transitions
            self.idle = idle
        }
    }
}

/// By the names of the protocol's methods and parameters.
private struct Entry: Encodable {
    var method: String
    var after: Int
    /// In milliseconds, as other durations in HAR files.
    var idle: Double?
    var resource: String?
    var acceptRemovals: Bool?
    var paused: Bool?

    enum CodingKeys: String, CodingKey {
        case method, after, idle, resource, paused
        case acceptRemovals = "accept_removals"
    }

    init(_ call: Recording.Call) {
        after = call.transitions
        if call.idle > .zero { idle = (call.idle / .microseconds(1)).rounded() / 1000 }
        switch call.method {
        case .sync(let resource, let acceptsRemovals):
            (method, self.resource) = ("Sync", resource.rawValue)
            if acceptsRemovals { acceptRemovals = true }
        case .retry(let resource): (method, self.resource) = ("Retry", resource.rawValue)
        case .cancel(let resource): (method, self.resource) = ("Cancel", resource.rawValue)
        case .setPaused(let paused): (method, self.paused) = ("SetPaused", paused)
        case .fetchFact: method = "FetchFact"
        }
    }
}

extension Recording.Call {
    static func json(_ calls: [Recording.Call]) -> [UInt8] {
        do { return try StrictJSON.encode(calls.map(Entry.init)) } catch { preconditionFailure("\(error)") }
    }

    init(har entry: JSONObject) throws(FormatError) {
        transitions = Int(try entry.required("after").number(0...9_007_199_254_740_991))
        idle = try entry["idle"]?.milliseconds() ?? .zero
        let method = try entry.required("method")
        self.method =
            switch try method.text() {
            case "Sync": .sync(try entry.resource(), acceptsRemovals: try entry.flag("accept_removals"))
            case "Retry": .retry(try entry.resource())
            case "Cancel": .cancel(try entry.resource())
            case "SetPaused": .setPaused(try entry.flag("paused"))
            case "FetchFact": .fetchFact
            default: throw method.error("no method that can be called again")
            }
    }
}

extension JSONObject {
    fileprivate func resource() throws(FormatError) -> Resource {
        let node = try required("resource")
        guard let resource = Resource(rawValue: try node.text()) else { throw node.error("no resource") }
        return resource
    }
}
