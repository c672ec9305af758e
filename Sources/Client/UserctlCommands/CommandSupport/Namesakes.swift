import Model
import UserdAPI

extension User {
    var identity: String { shownValues([shownName, email ?? username, address.city]) }
}

extension [User] {
    /// The members by which people are told apart, as far as they differ.
    var differing: [(User) -> String?] {
        let members: [(User) -> String?] = [
            \.shownName, \.department, \.jobTitle, \.address.city, \.company, \.email, \.phone,
        ]
        return members.filter { Set(map($0)).count > 1 }
    }

    /// Texts that tell these users apart: the first four members that differ. If none does, name, address and city.
    var tellingApart: [String] {
        let differing = differing.prefix(4)
        return map { user in
            let shown = shownValues(differing.map { $0(user) })
            return shown.isEmpty ? user.identity : shown
        }
    }
}

private func shownValues(_ values: [String?]) -> String {
    values.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
}
