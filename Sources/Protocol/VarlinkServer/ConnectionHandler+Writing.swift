import NIOCore
import Varlink

extension ConnectionHandler {
    /// Call `flush` afterwards.
    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, context != nil else { return }
        if unread == 0 { lastHeard = .now() }
        unread += bytes.count
        output.writeBytes(bytes)
    }

    /// Passes the replies so far to the kernel. The channel may report a change or its end before this
    /// returns, so state must be up to date.
    func flush() {
        let count = output.readableBytes
        guard count > 0, let context else { return }
        let replies = output
        output = ByteBuffer()
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { _ in self.taken(count) }
        context.writeAndFlush(wrapOutboundOut(replies), promise: taken)
    }

    func closeAfterWrites() {
        flush()
        guard let context, context.channel.isActive else { return }
        let channel = context.channel
        closeUnlessRead(channel, of: .max)
        // An empty write completes after all earlier writes.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// Closes the channel if the client reads nothing for a request's deadline.
    private func closeUnlessRead(_ channel: any Channel, of unread: Int) {
        let handler = NIOLoopBound(self, eventLoop: server.eventLoop)
        let deadline = server.eventLoop.scheduleTask(in: TimeAmount(limits.requestDeadline)) {
            let left = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
            guard let left, left < unread else { return channel.close(promise: nil) }
            handler.value.closeUnlessRead(channel, of: left)
        }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
    }
}
