import Model
import Upstream

/// How entries of a directory tell what they are: by their object classes, and by the type that Exchange gives them.
enum EntryKind {
    /// Attributes that tell the kind.
    static let attributes = ["objectClass", exchangeType]
    private static let exchangeType = "msExchRecipientTypeDetails"

    private static let groups = [
        "group", "groupOfNames", "groupOfUniqueNames", "msExchDynamicDistributionList",
    ]

    /// Exchange's types of mailboxes that are nobody's own, here and in the cloud (remote). Their accounts are
    /// usually disabled.
    /// https://learn.microsoft.com/powershell/module/exchange/get-recipient
    private static let types: [(kind: UserKind, numbers: [Int])] = [
        (.mailbox, [4, 34_359_738_368]),
        // Rooms and equipment.
        (.room, [16, 8_589_934_592, 32, 17_179_869_184]),
    ]

    /// Conditions on accounts, which do not count for those that nobody logs in to.
    private static let accounts: Set = [
        "useraccountcontrol", "nsaccountlock", "accountexpires", "pwdaccountlockedtime",
    ]

    /// Filters (RFC 4515), one of which finds each entry of this kind; none for persons, whose filter the address has.
    static func filters(of kind: UserKind) -> [String] {
        let typed = types.filter { $0.kind == kind }.flatMap(\.numbers).map { "(\(exchangeType)=\($0))" }
        return switch kind {
        case .person: []
        case .group: ["(&(|\(groups.map { "(objectClass=\($0))" }.joined()))(mail=*))"]
        case .room: ["(objectClass=room)"] + typed
        case .mailbox: typed
        case .contact: ["(&(objectClass=contact)(mail=*))"]
        }
    }

    /// The kind of an entry, whose `attributes` were requested.
    static func kind(of entry: DirectoryEntry) -> UserKind {
        if let number = entry.text(exchangeType.asciiLowercased).flatMap({ Int($0) }),
            let found = types.first(where: { $0.numbers.contains(number) })
        {
            return found.kind
        }
        let classes = Set(entry.texts("objectclass").map(\.asciiLowercased))
        if groups.contains(where: { classes.contains($0.asciiLowercased) }) { return .group }
        return classes.contains("room") ? .room : classes.contains("contact") ? .contact : .person
    }

    /// The condition as it counts for rooms and shared mailboxes; nil if it doesn't.
    static func withoutAccounts(
        _ condition: DirectoryFormat.Condition, on attribute: String
    ) -> DirectoryFormat.Condition? {
        guard !accounts.contains(attribute) else { return nil }
        var condition = condition
        if attribute == "objectclass" { condition.tests.removeAll { $0 == .text("computer") } }
        return condition.tests.isEmpty ? nil : condition
    }
}

/// The part of a directory that is searched.
struct SearchedPart: Equatable {
    var base: String
    var scope: LDAPAddress.Scope
}

extension LDAPSettings {
    /// Finds the entries of all kinds that are listed.
    var filter: String {
        let others = UserKind.allCases.filter(format.kinds.contains).flatMap(EntryKind.filters)
        // An attribute of the settings may say that an entry of the address is of any kind.
        let hasPeople = format.kinds.contains(.person) || format.fields[UserField.kind.name] != nil
        let all = (hasPeople ? [address.filter] : []) + others
        return all.count == 1 ? all[0] : "(|\(all.joined()))"
    }

    /// The base and the scope of the address; for further kinds, which lie beside the branch of people, the whole naming
    /// context around the base.
    /// - Parameter contexts: the naming contexts of the server; none if it hides them.
    func part(in contexts: [String]) -> SearchedPart {
        guard format.hasOtherKinds else { return SearchedPart(base: address.base, scope: address.scope) }
        let base = DistinguishedName(address.base)
        let around = contexts.filter { !$0.isEmpty && base.isWithin(DistinguishedName($0), .sub) }
            .max { DistinguishedName($0).parts.count < DistinguishedName($1).parts.count }
        let domain = base.parts.drop { !$0.hasPrefix("dc=") }
        let isDomain = !domain.isEmpty && domain.allSatisfy { $0.hasPrefix("dc=") }
        return SearchedPart(
            base: around ?? (isDomain ? domain.joined(separator: ",") : address.base), scope: .sub)
    }

    /// Whether a list has entries of people, among others: without any, their base or their filter is wrong.
    var seeksPeople: Bool { format.hasOtherKinds && format.kinds.contains(.person) }

    /// The stamp as it is cached. It differs once a branch has moved, which moves no stamp of the entries below: persons elsewhere
    /// are left out.
    func cachedStamp(_ stamp: String, of entry: DirectoryEntry) -> String {
        seeksPeople && !isAmongPeople(entry) ? stamp + " elsewhere" : stamp
    }

    /// Whether the entry lies where the address says that people are.
    func isAmongPeople(_ entry: DirectoryEntry) -> Bool {
        DistinguishedName(entry.dn).isWithin(DistinguishedName(address.base), address.scope)
    }
}
