import Model
import UserdAPI

/// The way from a user to the reports or managers, and back.
extension Browser {
    /// A list that was left for another.
    struct Step {
        let list: BrowsedList
        let selection: Int
        let top: Int
        let query: String
    }

    private static var longestPath: Int { 100 }

    /// Whether reports or managers are being read, which replace the list if there are any.
    var isStepping: Bool { pending?.goal == .step }

    mutating func step(to subject: (User) -> BrowsedList.Subject) {
        guard let selected else { return }
        if selected.isOther {
            notice =
                "\(selected.shownName) is a \(selected.kind?.rawValue ?? ""): only persons have managers and reports"
        } else {
            load(subject(selected), .step)
        }
    }

    /// Keeps the list, which another is about to replace.
    mutating func remember() {
        guard let list else { return }
        path.append(Step(list: list, selection: selection, top: top, query: query))
        // The way back always ends at the search, which is the first.
        if path.count > Self.longestPath { path.remove(at: 1) }
        (query, showsCard) = ("", false)
    }

    /// Opens the card that the command line names, if the first list has the user.
    mutating func showFirstCard() {
        guard let id = firstCard else { return }
        firstCard = nil
        guard let position = list?.position(of: id) else { return }
        select(position)
        showsCard = true
    }

    mutating func goBack() {
        guard let step = path.popLast() else { return }
        (list, pending, query) = (step.list, nil, step.query)
        top = step.top
        // The users may have been synced, and the screen have another size.
        reloadedFor = nil
        select(step.selection)
    }
}
