import Cache
import Model
import Reads
import Sync
import UserdAPI
import Varlink

/// Throws the protocol's error in place of one of the cache, the engine or upstream.
func translated<T>(_ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as CacheError {
        throw error.wire
    } catch let error as WatchError {
        throw error.wire
    } catch let error as UpstreamError {
        throw UserdError.upstreamFailed(failure: error.failure).wire
    } catch is CancellationError {
        // The engine cancels requests when userd ends.
        throw UserdError.ending.wire
    }
}

extension WatchError {
    fileprivate var wire: VarlinkError {
        switch self {
        case .fellBehind(let epoch, let index): UserdError.fellBehind(epoch: epoch, index: index).wire
        case .sequenceGone(let epoch, let oldest, let newest):
            UserdError.sequenceGone(epoch: epoch, oldest: oldest, newest: newest).wire
        }
    }
}
