import Model
import StrictJSON

extension DirectoryFormat {
    /// Leaves these fields out of users.
    ///
    /// Removes their pointers, so that their values are neither recorded nor, where the upstream lets userd
    /// choose, requested. A list that a remaining field needs keeps its pointers, and readers clear it.
    package mutating func omit(_ omitted: Set<UserField>) {
        guard !omitted.isEmpty else { return }
        self.omitted = omitted
        // Ids that are digests of the other fields have to stay the same.
        guard identity == nil else { return }
        let before = (fields: fields, members: members)
        for field in omitted { fields[field.name] = needed(field, before.fields) }
        omittedPointers = before.fields.keys.sorted().filter { fields[$0] != before.fields[$0] }
            .flatMap { before.fields[$0]?.pointers ?? [] }
        leaveOutOfQuery(before.members.subtracting(members))
    }

    /// The places of an omitted field that a remaining field without places of its own needs.
    private func needed(_ field: UserField, _ before: [String: FieldSource]) -> FieldSource? {
        func needs(_ other: UserField) -> Bool {
            !omitted.contains(other) && before[other.name] == nil
        }
        let places = (before[field.name]?.places ?? []).filter { place in
            let contact = FoundContact(value: "", kind: place.kind)
            return switch field {
            case .emails: needs(.email)
            case .phones where place.kind == nil: needs(.phone) || needs(.cell)
            case .phones: contact.isMobile ? needs(.cell) : !contact.isFax && needs(.phone)
            // Over LDAP, the name of a manager is found by the DN.
            case .managerID: isLDAP && needs(.managerName)
            default: false
            }
        }
        return places.isEmpty ? nil : FieldSource(places: places)
    }

    /// The members of a record that are read.
    private var members: Set<String> {
        let pointers = fields.values.flatMap(\.pointers) + skip.map(\.pointer)
        return Set(
            pointers.compactMap { if case .named(let name)? = $0.steps.first { name } else { nil } })
    }

    /// Removes these members from `$select` of OData.
    private mutating func leaveOutOfQuery(_ members: Set<String>) {
        let parameters = query.split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "$select" else { return String(parameter) }
            let selected = parts[1].split(separator: ",").filter { !members.contains(String($0)) }
            return "$select=\(selected.joined(separator: ","))"
        }
        query = parameters.joined(separator: "&")
    }
}

extension DirectoryFormat.FieldSource {
    var pointers: [Pointer] { places.flatMap { [$0.pointer] + $0.more } }
}
