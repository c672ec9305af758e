import Reads
import Sync
import UserdAPI
import Varlink

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
