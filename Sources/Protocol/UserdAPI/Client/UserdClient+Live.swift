import Model
import Synchronization
import Varlink

extension UserdClient {
    /// A client of the userd at a socket. Connects on first use, and again after a call without a reply.
    ///
    /// Calls from several threads share one connection and wait for each other. Calls that wait for upstream
    /// or have several replies use a connection of their own. Those that wait for upstream throw `.timedOut`
    /// only if userd stops answering other calls, too.
    ///
    /// - Parameters:
    ///   - timeout: for connecting, and for replies from the cache.
    ///   - moment: timeout of `getPictureSoon`.
    ///   - picture: timeout of `getPicture`; userd fetches for at most eight seconds.
    ///   - interval: after this long without a reply, a call that waits for upstream asks whether userd still
    ///   answers.
    package static func live(
        socket: String, timeout: Duration = .seconds(10), moment: Duration = .milliseconds(300),
        picture: Duration = .seconds(12), interval: Duration = .seconds(5)
    ) -> UserdClient {
        let userd = Userd(path: socket, timeout: timeout)
        return UserdClient(
            listUsers: { try userd.call(.listUsers, $0) },
            listAllUsers: { try userd.callMore(.listUsers, $0, timeout: timeout) },
            getUser: { try userd.call(.getUser, $0) },
            listManagers: { try userd.call(.listManagers, $0) },
            listReports: { try userd.call(.listReports, $0) },
            getPicture: { try userd.callApart(.getPicture, $0, timeout: picture) },
            getPictureSoon: { try userd.callApart(.getPicture, $0, timeout: moment) },
            listFacts: { try userd.call(.listFacts, $0) },
            listAllFacts: { try userd.callMore(.listFacts, $0, timeout: timeout) },
            randomFact: { try userd.call(.randomFact, $0) },
            fetchFact: { try userd.callWaiting(.fetchFact, NoParameters(), checkedEach: interval) },
            getState: { try userd.call(.getState, NoParameters()) },
            watch: { try userd.callMore(.watch, $0, timeout: nil) },
            history: { try userd.call(.history, $0) },
            sync: { try userd.callWaiting(.sync, $0, checkedEach: interval) },
            retry: { try userd.callWaiting(.retry, $0, checkedEach: interval) },
            cancel: { try userd.call(.cancel, $0) },
            getSettings: { try userd.call(.getSettings, NoParameters()) },
            getSurvey: { try userd.call(.getSurvey, NoParameters()) },
            setPaused: { try userd.call(.setPaused, $0) },
            signIn: { try userd.callMore(.signIn, $0, timeout: nil) },
            finishSignIn: { try userd.call(.finishSignIn, $0) },
            signOut: { try userd.callWaiting(.signOut, $0, checkedEach: interval) })
    }
}

private final class Userd: Sendable {
    private let path: String
    private let timeout: Duration
    /// The shared connection, for one call at a time.
    private let kept = Mutex<VarlinkClient?>(nil)

    init(path: String, timeout: Duration) {
        self.path = path
        self.timeout = timeout
    }

    func call<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters
    ) throws -> RawReply<Output> {
        let parameters = try encoded(parameters)
        let bytes = try translatingErrors {
            try kept.withLock { kept in
                if let client = kept {
                    do {
                        return try client.call(method.qualifiedName, parameters: parameters, timeout: timeout)
                    } catch VarlinkClientError.closed {
                        // userd has restarted since the last call.
                        kept = nil
                    }
                }
                let client = try VarlinkClient(path: path, timeout: timeout)
                kept = client
                return try client.call(method.qualifiedName, parameters: parameters, timeout: timeout)
            }
        }
        return RawReply(bytes, to: method)
    }

    /// Uses a connection of its own.
    func callApart<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, timeout: Duration?,
        whenIdle: VarlinkClient.Idle? = nil
    ) throws -> RawReply<Output> {
        let bytes = try translatingErrors {
            try VarlinkClient(path: path, timeout: self.timeout).call(
                method.qualifiedName, parameters: try encoded(parameters), timeout: timeout,
                whenIdle: whenIdle)
        }
        return RawReply(bytes, to: method)
    }

    /// Waits as long as userd answers other calls.
    func callWaiting<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, checkedEach interval: Duration
    ) throws -> RawReply<Output> {
        var hasWaited = false
        return try callApart(method, parameters, timeout: nil) {
            // This connection throws any other error.
            if hasWaited, UserdClient.live(socket: self.path, timeout: self.timeout).answers == false {
                throw VarlinkClientError.timedOut
            }
            hasWaited = true
            return interval
        }
    }

    /// Connects at once, over a connection of its own.
    func callMore<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters, timeout: Duration?
    ) throws -> RawReplies<Output> {
        let parameters = try encoded(parameters)
        let client = try VarlinkClient(path: path, timeout: self.timeout)
        let interrupt = client.interrupt
        let unused = Mutex<VarlinkClient?>(client)
        return RawReplies(
            { body, whenIdle in
                let taken = unused.withLock { unused in
                    let client = unused
                    unused = nil
                    return client
                }
                guard let taken else { throw VarlinkClientError.closed }
                try translatingErrors {
                    try taken.callMore(
                        method.qualifiedName, parameters: parameters, timeout: timeout, whenIdle: whenIdle
                    ) {
                        try body(RawReply($0, to: method))
                    }
                }
            }, interrupt: interrupt)
    }
}

private func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as VarlinkError {
        throw UserdError(wire: error) ?? error
    }
}

extension UserdClient {
    /// True if userd answers `GetState`; nil if it can't be reached.
    package var answers: Bool? {
        func answer() -> Bool? {
            do {
                _ = try getState()
                return true
            } catch VarlinkClientError.timedOut {
                return false
            } catch {
                return error is VarlinkClientError ? nil : true
            }
        }
        // Asks twice: the machine may have been suspended during the first call.
        let first = answer()
        return first == false ? answer() : first
    }
}
