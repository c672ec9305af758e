import HTTP
import Logging
import Model

extension SettingsLoader {
    /// Reads the recording to replay; later loads use its settings.
    mutating func read(_ path: String?) throws(HARError) -> Recording? {
        guard let path else { return nil }
        let recording = try Recording(file: path)
        recorded = RecordedSettings(recording.session?.settings ?? [:], path: path)
        return recording
    }
}

extension Recording {
    func announce(_ path: String, _ logger: Logger) {
        logger.notice(
            "Replaying a recording; no upstream is asked",
            metadata: [
                "file": "\(path)", "exchanges": "\(exchanges.count)",
                "from": "\(exchanges.first.map { "\($0.began)" } ?? "never")",
                "of": "\(session.map { "userd \($0.version.shown(upTo: 40))" } ?? "a browser")",
            ])
        if exchanges.isEmpty {
            logger.warning(
                "The recording holds no HTTP exchange; each sync will fail",
                metadata: ["file": "\(path)"])
        }
        guard session?.isTruncated == true else { return }
        logger.warning("The recording is incomplete; it was full before userd ended")
    }
}

extension Replay {
    /// Logs the answers that were not used.
    func conclude(_ logger: Logger) {
        let rest = leftOver
        guard rest.count > 0 else { return logger.notice("The whole recording was used") }
        logger.notice(
            "A part of the recording was not used",
            metadata: ["left": "\(rest.count)", "first": "\(rest.first.joined(separator: ", "))"])
    }
}
