import FoundationEssentials
import Glibc
import Logging
import Model
import UnixSignals

/// Settings that need a restart: other programs rely on them, or they replace the upstreams.
let settingsUntilTheEnd: Set = [
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

extension Daemon {
    /// Reads the settings again at SIGHUP; `adopt`, in Daemon+Serving.swift, gives them to all parts. A bad file
    /// changes nothing. When userd's terminal is closed, SIGHUP ends it.
    func reload(at signals: UnixSignalsSequence, _ parts: Parts) async {
        var inForce = Snapshot(current.loaded)
        for await _ in signals {
            if manager.terminal.isClosed {
                kill(getpid(), SIGTERM)
                continue
            }
            manager.announcements.reloads()
            manager.announcements.reloaded(failure: await reload(&inForce, parts))
        }
    }

    /// Returns why the settings did not change; nil on success.
    private func reload(_ inForce: inout Snapshot, _ parts: Parts) async -> String? {
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
            try await adopt(loaded, parts)
            let changes = new.changes(from: inForce).filter { !settingsUntilTheEnd.contains($0) }
            logger.notice(
                "Settings read again",
                metadata: ["changed": "\(changes.isEmpty ? "nothing" : changes.joined(separator: ", "))"])
            let waiting = Setting.changes(from: current.started.settings, to: new.settings).filter(
                settingsUntilTheEnd.contains)
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
