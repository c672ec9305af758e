import FoundationEssentials
import Glibc
import Logging
import Model
import UnixSignals

/// Reads the settings again at SIGHUP; `adopt`, in Daemon+Serving.swift, gives them to all parts. A bad file
/// changes nothing. When userd's terminal is closed, SIGHUP ends it.
struct Reload: Sendable {
    let signals: UnixSignalsSequence
    let terminal: StartTerminal
    let loader: SettingsLoader
    let settings: CurrentSettings
    let announcements: Announcements
    let logger: Logger
    let adopt: @Sendable (LoadedSettings) async throws -> Void

    /// Settings that need a restart: other programs rely on them, or they replace the upstreams.
    static let untilTheEnd: Set = [
        "socket", "database", "record", "record_raw", "replay", "replay_speed", "mock",
    ]

    /// Settings, and the content of the files of secrets.
    private struct Snapshot {
        let configFiles: [String]
        let settings: Settings
        let secrets: [Secret.Use: [Secret?]]

        init(_ loaded: LoadedSettings) {
            (configFiles, settings) = (loaded.configFiles, loaded.settings)
            secrets = Dictionary(grouping: loaded.settings.secretPaths, by: \.use).mapValues { files in
                // The sync reports one that can't be read.
                files.map { try? Secret.read($0.use, fromFile: $0.path).secret }
            }
        }

        func changes(from old: Self) -> [String] {
            let names = Setting.changes(from: old.settings, to: settings)
            let others = Secret.Use.allCases.filter {
                secrets[$0] != old.secrets[$0] && !names.contains($0.rawValue)
            }
            return names + others.map { "the content of \($0.rawValue)" }
        }
    }

    func run() async {
        var inForce = Snapshot(settings.loaded)
        for await _ in signals {
            if terminal.isClosed {
                kill(getpid(), SIGTERM)
                continue
            }
            announcements.reloads()
            announcements.reloaded(failure: await reload(&inForce))
        }
    }

    /// Returns why the settings did not change; nil on success.
    private func reload(_ inForce: inout Snapshot) async -> String? {
        do {
            let readAt = Timestamp(Date())
            var loaded = try loader.load()
            loaded.readAt = readAt
            for warning in loaded.warnings { logger.warning("\(warning)") }
            if let file = inForce.configFiles.first(where: { !loaded.configFiles.contains($0) }) {
                let reason = """
                    the file \(file) is gone; put it back, restart userd to run without it, or remove userd with \
                    `userctl service remove`
                    """
                logger.error("Settings stay as they were", metadata: ["reason": "\(reason)"])
                return reason
            }
            let new = Snapshot(loaded)
            try await adopt(loaded)
            let changes = new.changes(from: inForce).filter { !Self.untilTheEnd.contains($0) }
            logger.notice(
                "Settings read again",
                metadata: ["changed": "\(changes.isEmpty ? "nothing" : changes.joined(separator: ", "))"])
            let waiting = Setting.changes(from: settings.started.settings, to: new.settings).filter(
                Self.untilTheEnd.contains)
            if !waiting.isEmpty {
                logger.warning(
                    "Changes of these settings need a restart of userd",
                    metadata: ["settings": "\(waiting.joined(separator: ", "))"])
            }
            inForce = new
            return nil
        } catch is CancellationError {
            // userd ends: the next start reads the settings.
            return nil
        } catch {
            logger.error("Settings stay as they were", metadata: ["reason": "\(error)"])
            return "\(error)"
        }
    }
}
