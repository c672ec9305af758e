import StrictJSON

/// The server's side of one connection, without I/O and without a clock: takes bytes, returns calls to run
/// and bytes to write.
///
/// Report events (`received`, `inputEnded`, `replied`, `failed`, `disconnected`, `drain`), then take
/// `nextAction` until it is nil. While output is blocked, don't ask: calls then wait in the buffer.
package struct ServerConnection {
    package enum Action: Equatable {
        /// Run this call and report to `replied` or `failed`. Blocks later calls until the last reply.
        case start(MethodCall)
        case write([UInt8])
        /// Close after writing what is pending. Last action.
        case close(ProtocolViolation?)
    }

    private enum State: Equatable {
        /// Waits for a call. Exits: `calling` with a call; `closed` with a violation, or when the input has
        /// ended or the connection drains and nothing is left to do.
        case idle
        /// Exit: `idle`, with the last reply.
        case calling(MethodCall)
        /// No exit.
        case closed
    }

    /// Bytes of waiting calls that are read ahead. Other connections wait while these calls are answered, if
    /// their answers are at hand.
    package static let readAhead = 4096

    private var state = State.idle
    private var frames: FrameDecoder
    private let maximumDepth: Int
    private var takesInput = true
    private var isConnected = true
    private var framesTaken = 0

    /// - Parameters:
    ///   - maximumLength: of a message, in bytes.
    ///   - maximumDepth: nesting of a message, its own object included.
    package init(maximumLength: Int = 1 << 20, maximumDepth: Int = 32) {
        frames = FrameDecoder(maximumLength: maximumLength)
        self.maximumDepth = maximumDepth
    }

    package var wantsInput: Bool {
        switch state {
        case .idle: takesInput
        case .calling: takesInput && frames.count < Self.readAhead
        case .closed: false
        }
    }

    /// Identifies the incomplete message while nothing else is going on; nil if there is none. If the value
    /// stays the same for long, the peer does not finish its message.
    ///
    /// Valid after `nextAction` has returned nil.
    package var begunMessage: Int? {
        state == .idle && takesInput && frames.count > 0 ? framesTaken : nil
    }

    package var currentCall: MethodCall? {
        if case .calling(let call) = state { call } else { nil }
    }

    /// Bytes of memory for requests: those received, and the current call's parameters.
    package var heldBytes: Int { frames.capacity + (currentCall?.parameters.count ?? 0) }

    package mutating func received(_ bytes: some Sequence<UInt8>) {
        guard takesInput, state != .closed else { return }
        frames.append(bytes)
    }

    /// The peer closed its sending side but may still read.
    package mutating func inputEnded() {
        takesInput = false
    }

    /// Shutdown: the running call is the last.
    package mutating func drain() {
        takesInput = false
        frames.removeAll()
    }

    /// The peer is gone. Only oneway calls are still run.
    package mutating func disconnected() {
        takesInput = false
        isConnected = false
    }

    /// Returns the bytes to write; none for a oneway call. The first reply to a call without `more` is its
    /// last one, whatever its `continues` says.
    package mutating func replied(_ reply: Reply) -> [UInt8] {
        guard case .calling(let call) = state else { return [] }
        let continues = reply.continues && call.more
        if !continues { state = .idle }
        return call.oneway ? [] : encode(parameters: reply.parameters, continues: continues)
    }

    /// Returns the bytes to write; none for a oneway call.
    ///
    /// - Parameter error: nil for no error to send; the connection then closes, except after oneway calls.
    package mutating func failed(_ error: VarlinkError?) -> [UInt8] {
        guard case .calling(let call) = state else { return [] }
        state = .idle
        guard !call.oneway else { return [] }
        guard let error else {
            drain()
            return []
        }
        return encode(parameters: error.parameters, error: error.name)
    }

    /// The next action; nil until the next event.
    package mutating func nextAction() -> Action? {
        while state == .idle {
            do {
                guard let frame = try nextFrame() else { return takesInput ? nil : close() }
                let incoming = try IncomingCall(frame, maximumDepth: maximumDepth)
                guard isConnected || incoming.call.oneway else { continue }
                state = .calling(incoming.call)
                guard incoming.upgrade else { return .start(incoming.call) }
                return .write(failed(.methodNotImplemented(incoming.call.method)))
            } catch {
                return close(error)
            }
        }
        return nil
    }

    private mutating func nextFrame() throws(ProtocolViolation) -> ArraySlice<UInt8>? {
        do {
            guard let frame = try frames.next() else { return nil }
            framesTaken += 1
            return frame
        } catch {
            throw ProtocolViolation("a message is longer than \(error.limit) bytes")
        }
    }

    private mutating func close(_ violation: ProtocolViolation? = nil) -> Action {
        state = .closed
        frames.removeAll()
        return .close(violation)
    }
}

/// A reply with its NUL. Absent members are left out, never null.
private func encode(parameters: [UInt8], error: String? = nil, continues: Bool = false) -> [UInt8] {
    var members = [(name: "parameters", value: parameters)]
    if let error { members.insert(("error", StrictJSON.quoted(error)), at: 0) }
    if continues { members.append(("continues", Array("true".utf8))) }
    var message = StrictJSON.object(members)
    message.append(0)
    return message
}
