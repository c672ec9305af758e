import Model
import StrictJSON

extension Recording {
    /// Something that a client had userd do: without it, other syncs come about than those that were recorded.
    package struct Call: Hashable, Sendable {
        package enum Method: Hashable, Sendable {
            case sync(Resource, acceptsRemovals: Bool)
            case retry(Resource)
            /// - Parameter point: how far the sync was; nil where none ran.
            case cancel(Resource, at: Point?)
            case setPaused(Bool)
            case fetchFact
        }

        /// Where a sync is.
        package struct Point: Hashable, Sendable {
            /// The resource's first since userd's start is 1.
            package var sync: Int
            /// That it had made.
            package var requests: Int

            package init(sync: Int, requests: Int) { (self.sync, self.requests) = (sync, requests) }
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
    var sync: Int?
    var requests: Int?

    enum CodingKeys: String, CodingKey {
        case method, after, idle, resource, paused, sync, requests
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
        case .cancel(let resource, let point):
            (method, self.resource) = ("Cancel", resource.rawValue)
            (sync, requests) = (point?.sync, point?.requests)
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
        transitions = try entry.required("after").count()
        idle = try entry["idle"]?.milliseconds() ?? .zero
        let method = try entry.required("method")
        self.method =
            switch try method.text() {
            case "Sync": .sync(try entry.resource(), acceptsRemovals: try entry.flag("accept_removals"))
            case "Retry": .retry(try entry.resource())
            case "Cancel": .cancel(try entry.resource(), at: try entry.point())
            case "SetPaused": .setPaused(try entry.flag("paused"))
            case "FetchFact": .fetchFact
            default: throw method.error("no method that can be called again")
            }
    }
}

extension JSONObject {
    fileprivate func point() throws(FormatError) -> Recording.Call.Point? {
        guard let sync = self["sync"] else { return nil }
        return Recording.Call.Point(sync: try sync.count(), requests: try required("requests").count())
    }

    fileprivate func resource() throws(FormatError) -> Resource {
        let node = try required("resource")
        guard let resource = Resource(rawValue: try node.text()) else { throw node.error("no resource") }
        return resource
    }
}
