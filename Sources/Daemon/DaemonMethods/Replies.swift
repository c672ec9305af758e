import ReadMethods
import SyncEngine
import UserdAPI
import Varlink

/// The pages of a list. Each is read while the one before it is sent, so at most one waits.
package actor PageReplies {
    private var page: Task<ListPage, any Error>
    private let read: @Sendable (_ cursor: String?) async throws -> ListPage

    package init(
        from cursor: String?, page read: @escaping @Sendable (_ cursor: String?) async throws -> ListPage
    ) {
        self.read = read
        page = Task { try await read(cursor) }
    }

    package func next() async throws -> Reply {
        let page = try await page.value
        if let cursor = page.next { self.page = Task { [read] in try await read(cursor) } }
        return Reply(parameters: page.reply, continues: page.next != nil)
    }

    /// For a list whose rest nobody wants.
    package func cancel() { page.cancel() }
}

func translatingWatchErrors<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await translatingErrors(body)
    } catch let error as WatchError {
        throw error.wire
    }
}

extension WatchError {
    var wire: VarlinkError {
        switch self {
        case .fellBehind(let epoch, let index): UserdError.fellBehind(epoch: epoch, index: index).wire
        case .sequenceGone(let epoch, let oldest, let newest):
            UserdError.sequenceGone(epoch: epoch, oldest: oldest, newest: newest).wire
        }
    }
}
