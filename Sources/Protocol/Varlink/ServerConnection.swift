import StrictJSON

/// One connection as its server sees it: bytes come in, calls to run and bytes to write come out. No input or output is
/// done here, and no clock is read.
///
/// Give it what happened (`received`, `inputEnded`, `replied`, `failed`, `disconnected`, `drain`), then take `nextAction`
/// until there is none. Who does not want to write at the moment does not ask: calls then wait in the buffer.
package struct ServerConnection {
    package enum Action: Equatable {
        /// Read it, which may take a while, and say with `read` what it is. There is no other message before.
        case read(LongMessage)
        /// Run the call and say how it went with `replied` and `failed`. There is no other call before the last reply.
        case start(MethodCall)
        case write([UInt8])
        /// Nothing follows. What was written before has to go out first.
        case close(ProtocolViolation?)
    }

    private enum State: Equatable {
        /// Waits for a call. Goes to `calling` with a call; to `reading` with a long message; to `closed` with a violation, and where the input has ended
        /// or the connection drains and nothing is left to do.
        case idle
        /// Goes to `idle` with what the message is.
        case reading
        /// Goes to `idle` with the last reply.
        case calling(MethodCall)
        /// Has no exit.
        case closed
    }

    /// How much of the calls that wait for their turn is read ahead, in bytes.
    package static let readAhead = 65_536

    private var state = State.idle
    private var frames: FrameDecoder
    private let maximumDepth: Int
    private let longLength: Int
    /// A long message that has been read.
    private var readMessage: ReadMessage?
    private var takesInput = true
    private var isDraining = false
    private var isConnected = true
    private var framesTaken = 0

    /// - Parameters:
    ///   - maximumLength: of a message, in bytes.
    ///   - maximumDepth: of a message's arrays and objects, its own included.
    ///   - longLength: of messages that are to be read elsewhere, in bytes.
    package init(maximumLength: Int = 1 << 20, maximumDepth: Int = 32, longLength: Int = 16_384) {
        frames = FrameDecoder(maximumLength: maximumLength)
        self.longLength = longLength
        self.maximumDepth = maximumDepth
    }

    /// Whether more bytes should be read now.
    package var wantsInput: Bool {
        switch state {
        case .idle: takesInput
        case .reading, .calling: takesInput && frames.count < Self.readAhead
        case .closed: false
        }
    }

    /// A number for the message that has begun and not ended while nothing else is going on; nil where there is none. The
    /// same number over a long time is a peer that does not finish what it began.
    ///
    /// Holds once `nextAction` has returned nil.
    package var begunMessage: Int? {
        state == .idle && takesInput && frames.count > 0 ? framesTaken : nil
    }

    /// The call that runs.
    package var currentCall: MethodCall? {
        if case .calling(let call) = state { call } else { nil }
    }

    package mutating func received(_ bytes: some Sequence<UInt8>) {
        guard takesInput, state != .closed else { return }
        frames.append(bytes)
    }

    /// The peer sends nothing more, but may still read.
    package mutating func inputEnded() {
        takesInput = false
    }

    /// The server wants to end: the call that runs is the last.
    package mutating func drain() {
        takesInput = false
        isDraining = true
        frames.removeAll()
    }

    /// The peer is gone. Only calls that want no reply are still worth running.
    package mutating func disconnected() {
        takesInput = false
        isConnected = false
    }

    /// Returns the bytes to write: none for a oneway call, which has ended then as any other. A reply to a call without
    /// `more` is its last one, whatever it says itself.
    package mutating func replied(_ reply: Reply) -> [UInt8] {
        guard case .calling(let call) = state else { return [] }
        let continues = reply.continues && call.more
        if !continues { state = .idle }
        return call.oneway ? [] : encode(parameters: reply.parameters, continues: continues)
    }

    /// Returns the bytes to write; none for a oneway call.
    ///
    /// - Parameter error: nil where there is nothing to answer with: the connection closes, unless no answer was wanted.
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

    /// What a long message has turned out to be.
    package mutating func read(_ message: ReadMessage) {
        guard state == .reading else { return }
        state = .idle
        if !isDraining { readMessage = message }
    }

    /// What to do now; nil where something has to happen first.
    package mutating func nextAction() -> Action? {
        while state == .idle {
            do {
                let incoming: IncomingCall
                if let message = readMessage {
                    readMessage = nil
                    incoming = try message.result.get()
                } else {
                    guard let frame = try nextFrame() else { return takesInput ? nil : close() }
                    guard frame.count < longLength else {
                        state = .reading
                        return .read(LongMessage(bytes: Array(frame), maximumDepth: maximumDepth))
                    }
                    incoming = try IncomingCall(frame, maximumDepth: maximumDepth)
                }
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
            throw ProtocolViolation("a message of more than \(error.limit) bytes")
        }
    }

    private mutating func close(_ violation: ProtocolViolation? = nil) -> Action {
        state = .closed
        frames.removeAll()
        return .close(violation)
    }
}

/// A message that takes so long to read that others would wait for it.
package struct LongMessage: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let maximumDepth: Int

    package func read() -> ReadMessage {
        do throws(ProtocolViolation) {
            return ReadMessage(result: .success(try IncomingCall(bytes[...], maximumDepth: maximumDepth)))
        } catch {
            return ReadMessage(result: .failure(error))
        }
    }
}

/// What a long message is.
package struct ReadMessage: Sendable {
    fileprivate let result: Result<IncomingCall, ProtocolViolation>
}

/// A reply with its NUL. No member is ever null.
private func encode(parameters: [UInt8], error: String? = nil, continues: Bool = false) -> [UInt8] {
    var members = [(name: "parameters", value: parameters)]
    if let error { members.insert(("error", StrictJSON.quoted(error)), at: 0) }
    if continues { members.append(("continues", Array("true".utf8))) }
    var message = StrictJSON.object(members)
    message.append(0)
    return message
}
