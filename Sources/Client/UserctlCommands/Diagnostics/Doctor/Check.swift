/// The result of one check of `userctl doctor`.
struct Check: Hashable, Sendable, Encodable {
    enum Status: String, Sendable, Encodable {
        case ok
        /// Works, but needs attention.
        case warning
        /// Has to be fixed.
        case failed
        /// Could not be checked, or was left out.
        case skipped
    }

    /// The name for scripts, stable across versions.
    let name: String
    let status: Status
    let found: String
    /// Steps to fix it, one line each.
    let advice: [String]
    let title: String

    var isWrong: Bool { status == .failed || status == .warning }

    enum CodingKeys: String, CodingKey { case name, status, found, advice }

    static let unanswered = "userd does not answer"
}

struct CheckSubject {
    let name: String
    let title: String

    func ok(_ found: String) -> Check { check(.ok, found, []) }
    func skipped(_ found: String) -> Check { check(.skipped, found, []) }
    func warning(_ found: String, _ advice: String...) -> Check { check(.warning, found, advice) }
    func warning(_ found: String, advice: [String]) -> Check { check(.warning, found, advice) }
    func failed(_ found: String, _ advice: String...) -> Check { check(.failed, found, advice) }
    func failed(_ found: String, advice: [String]) -> Check { check(.failed, found, advice) }

    private func check(_ status: Check.Status, _ found: String, _ advice: [String]) -> Check {
        Check(name: name, status: status, found: found, advice: advice, title: title)
    }
}
