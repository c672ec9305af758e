import Logging
import Model
import Services
import Settings
import Synchronization

extension SettingsLoader {
    /// Reads the recording that is to be replayed, and has its settings from then on.
    mutating func read(_ path: String?) throws(HARError) -> Recording? {
        guard let path else { return nil }
        let recording = try Recording(file: path)
        recorded = RecordedSettings(recording.session?.settings ?? [:], path: path)
        return recording
    }
}

extension Recording {
    /// Says that this is what answers.
    func announce(_ path: String, _ logger: Logger) {
        logger.notice(
            "Replays a recording: no upstream is asked, and the time is that of the recording",
            metadata: [
                "file": "\(path)", "exchanges": "\(exchanges.count)",
                "from": "\(exchanges.first.map { "\($0.began)" } ?? "never")",
                "of": "\(session.map { "userd \($0.version.shown(upTo: 40))" } ?? "a browser")",
            ])
        if exchanges.isEmpty {
            logger.warning(
                "The recording holds no exchange over HTTP at all: each sync will fail",
                metadata: ["file": "\(path)"])
        }
        guard session?.isTruncated == true else { return }
        logger.warning("The recording is not whole: there was more than it holds")
    }
}

extension Replay {
    /// Says what nobody has asked for.
    func conclude(_ logger: Logger) {
        let rest = leftOver
        guard rest.count > 0 else { return logger.notice("All of the recording has been asked for") }
        logger.notice(
            "Not all of the recording has been asked for",
            metadata: ["left": "\(rest.count)", "first": "\(rest.first.joined(separator: ", "))"])
    }
}

extension Settings {
    /// Whether what happens is recorded or replayed, and so is to be the same both times.
    var isToBeTheSame: Bool { self.record != nil || self.replay != nil }
}

/// Draws in 0..<1 that are the same each time, in their order (https://prng.di.unimi.it/splitmix64.c).
final class SameDraws: Sendable {
    private let state = Mutex<UInt64>(0)

    func next() -> Double {
        let drawn = state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        return Double(drawn >> 11) / 0x1p53
    }
}
