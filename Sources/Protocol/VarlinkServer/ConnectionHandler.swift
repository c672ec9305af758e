import Logging
import NIOCore
import Varlink

/// Runs a `ServerConnection` on a channel. Everything runs on the channel's event loop, except the service's
/// own work.
///
/// While replies are unread, requests no further reply, starts no call and reads nothing.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Outcome: Sendable {
        case answered(Answer)
        case produced(Reply?)
        case failed(any Error)
    }

    let server: VarlinkServer
    let limits: Limits
    /// One call is allowed, and only if `whenFull` accepts it.
    let isSpare: Bool
    private let handover: Handover
    let violations: RepeatedEvent
    /// Called with the change of `heldBytes`.
    let holds: (Int) -> Void
    /// Called once the channel is closed and no work is left.
    private let ended: () -> Void
    var connection: ServerConnection
    /// Replies to send together.
    var output = ByteBuffer()

    var context: ChannelHandlerContext?
    /// Computes the current call's answer or the next reply of its stream.
    var work: Task<Void, Never>?
    private var stream: ReplyStream?
    private var callIsCancelled = false
    private var isClosed = false
    private var readIsHeld = false
    private var begunMessage: (number: Int, deadline: Scheduled<Void>)?
    /// Bytes of replies that the kernel has not taken, `output` included.
    var unread = 0
    /// When the client last sent or read something.
    var lastHeard = NIODeadline.now()
    var heldBytes = 0
    /// Closes a spare connection.
    private var lifetime: Scheduled<Void>?

    init(
        of server: VarlinkServer, limits: Limits, isSpare: Bool, handover: Handover,
        violations: RepeatedEvent, holds: @escaping (Int) -> Void, ended: @escaping () -> Void
    ) {
        self.server = server
        self.limits = limits
        self.isSpare = isSpare
        self.handover = handover
        self.violations = violations
        self.holds = holds
        self.ended = ended
        connection = ServerConnection(maximumLength: limits.requestLength, maximumDepth: limits.requestDepth)
    }

    func closed() {
        isClosed = true
        disconnected()
    }

    private func disconnected() {
        connection.disconnected()
        if connection.currentCall?.oneway == false, !callIsCancelled { cancelCall() }
        proceed()
    }

    /// Closes the connection after the current reply; cuts off a call with several replies.
    func drain() {
        connection.drain()
        if connection.currentCall?.more == true { cancelCall() }
        proceed()
    }

    // MARK: - Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if isSpare {
            let channel = context.channel
            lifetime = server.eventLoop.scheduleTask(in: TimeAmount(limits.requestDeadline)) {
                channel.close(promise: nil)
            }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        lifetime?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handover.polled()
        lastHeard = .now()
        connection.received(unwrapInboundIn(data).readableBytesView)
        proceed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            connection.inputEnded()
            proceed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        proceed()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        disconnected()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        server.logger.debug("A connection failed", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if mayWrite && connection.wantsInput {
            context.read()
        } else {
            readIsHeld = true
        }
    }

    // MARK: - What follows

    /// Also true once the channel is gone.
    private var mayWrite: Bool {
        guard let channel = context?.channel, channel.isActive else { return true }
        return channel.isWritable
    }

    /// Call after every event.
    private func proceed() {
        while mayWrite, let action = connection.nextAction() {
            switch action {
            case .start(let call):
                callIsCancelled = false
                start(call)
            case .write(let bytes):
                write(bytes)
                if isSpare { connection.drain() }
            case .close(let violation):
                if let violation { violations.happened("\(violation)") }
                closeAfterWrites()
            }
            if output.readableBytes >= limits.unreadReplies { flush() }
        }
        flush()
        if let stream, work == nil, mayWrite {
            startWork { .produced(try await stream.next()) }
        }
        updateHeldBytes()
        if isClosed, work == nil { ended() }
        watchDeadline()
        if readIsHeld, mayWrite, connection.wantsInput {
            readIsHeld = false
            context?.read()
        }
    }

    private func start(_ call: MethodCall) {
        if isSpare {
            guard server.whenFull(call) else {
                write(connection.failed(.permissionDenied))
                return connection.drain()
            }
            connection.drain()
        }
        do {
            switch try server.service.start(call) {
            case .answered(let parameters): write(connection.replied(Reply(parameters: parameters)))
            case .pending(let answer):
                startWork(on: call.more ? nil : server.executor) { .answered(try await answer()) }
            }
        } catch {
            fail(error)
        }
    }

    private func startWork(
        on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async throws -> Outcome
    ) {
        // Not the context's loop bound: oneway calls run on after the channel is gone.
        let handler = NIOLoopBound(self, eventLoop: server.eventLoop)
        work = Task(executorPreference: executor) { [handover] in
            let outcome: Outcome
            do { outcome = try await body() } catch { outcome = .failed(error) }
            handover.hand { handler.value.workEnded(outcome) }
        }
    }

    private func workEnded(_ outcome: Outcome) {
        work = nil
        switch outcome {
        case _ where callIsCancelled:
            if case .answered(.stream(let stream)) = outcome { stream.cancel() }
            _ = connection.replied(Reply())
        case .answered(.single(let parameters)):
            write(connection.replied(Reply(parameters: parameters)))
        case .answered(.stream(let stream)):
            self.stream = stream
        case .produced(let reply?):
            let bytes = connection.replied(reply)
            if connection.currentCall == nil {
                if reply.continues { stream?.cancel() }
                stream = nil
            }
            write(bytes)
        case .produced(nil):
            stream = nil
            server.logger.error(
                "A reply stream ended without a last reply", metadata: ["method": "\(currentMethod)"])
            write(connection.failed(nil))
        case .failed(let error):
            stream = nil
            fail(error)
        }
        proceed()
    }

    private func fail(_ error: any Error) {
        let reply = error as? VarlinkError
        if reply == nil {
            server.logger.error(
                "A call failed with an unexpected error",
                metadata: ["method": "\(currentMethod)", "error": "\(error)"])
        }
        write(connection.failed(reply))
    }

    private var currentMethod: String { connection.currentCall?.method ?? "" }

    private func cancelCall() {
        callIsCancelled = true
        stream?.cancel()
        stream = nil
        if let work {
            work.cancel()
        } else {
            _ = connection.replied(Reply())
        }
    }

    private func watchDeadline() {
        let number = mayWrite ? connection.begunMessage : nil
        guard number != begunMessage?.number else { return }
        begunMessage?.deadline.cancel()
        begunMessage = nil
        guard let number, let context, context.channel.isActive else { return }
        let channel = context.channel
        let violations = NIOLoopBound(violations, eventLoop: server.eventLoop)
        let deadline = server.eventLoop.scheduleTask(in: TimeAmount(limits.requestDeadline)) {
            violations.value.happened("a request was not complete in time")
            channel.close(promise: nil)
        }
        begunMessage = (number, deadline)
    }
}
