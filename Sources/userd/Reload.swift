import Logging
import ServiceLifecycle
import Settings
import UnixSignals

/// Reads the settings again at SIGHUP. A bad file leaves those in force that were.
struct Reload: Service {
    let loader: SettingsLoader
    let started: Settings
    let logger: Logger
    let adopt: @Sendable (Settings) async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await reload() }
        }
    }

    private func reload() async {
        do {
            let loaded = try loader.load()
            for warning in loaded.warnings { logger.warning("\(warning)") }
            try await adopt(loaded.settings)
            logger.notice("Settings read again")
            let new = loaded.settings
            let isMoved = new.socket != started.socket || new.database != started.database
            if isMoved || new.limits != started.limits {
                logger.warning("A new socket, database or limit takes effect when userd is started again")
            }
        } catch {
            logger.error("Settings stay as they were", metadata: ["reason": "\(error)"])
        }
    }
}
