import ArgumentParser
import Model

struct KindOption: ParsableArguments {
    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp(
            "Users of these kinds, separated by commas: \(UserKind.names.joined(separator: ", ")). (default: person)",
            valueName: "kinds"),
        completion: .list(UserKind.names), transform: UserKind.read)
    var kinds: [UserKind]?

    /// Whether others than persons are asked for.
    var hasOthers: Bool { kinds.map { $0 != [.person] } ?? false }
}

extension UserKind {
    fileprivate static let read: @Sendable (String) throws -> [UserKind] = { text in
        do throws(UnknownKind) {
            return try UserKind.list(text)
        } catch {
            throw ValidationError("unknown kind " + error.explanation)
        }
    }
}
