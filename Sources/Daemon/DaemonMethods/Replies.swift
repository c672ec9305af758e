import ReadMethods
import SyncEngine
import UserdAPI
import Varlink

/// The pages of a list, each read once the previous one is sent.
actor PageReplies {
    private var cursor: String?
    private let page: @Sendable (_ cursor: String?) async throws -> ListPage

    init(from cursor: String?, page: @escaping @Sendable (_ cursor: String?) async throws -> ListPage) {
        self.cursor = cursor
        self.page = page
    }

    func next() async throws -> Reply {
        let page = try await page(cursor)
        cursor = page.next
        return Reply(parameters: page.reply, continues: page.next != nil)
    }
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
