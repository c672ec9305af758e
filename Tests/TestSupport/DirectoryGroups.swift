/// Groups and rooms beside `DirectoryPeople`, in a branch of their own.
package enum DirectoryGroups {
    package static let base = "ou=groups,dc=example,dc=org"

    package static func dn(_ name: String) -> String { "cn=\(name),\(base)" }

    /// The branch, a group with an address, one without, a room, and a person who is not among the people.
    package static let ldif =
        LDIF.text(base, [("objectClass", "organizationalUnit"), ("ou", "groups")].bytes)
        + group("team", mail: "team@example.org") + group("posix", mail: nil)
        + LDIF.text(dn("Room 3.07"), [("objectClass", "room"), ("cn", "Room 3.07")].bytes)
        + LDIF.text(
            "uid=robot,\(base)",
            [("objectClass", "inetOrgPerson"), ("uid", "robot"), ("cn", "Robot"), ("sn", "Robot")].bytes)

    /// - Parameter mail: nil for a group that has no address.
    package static func group(_ name: String, mail: String?) -> String {
        let classes = ["groupOfNames", "extensibleObject"].map { ("objectClass", $0) }
        let members = [("cn", name), ("member", DirectoryPeople.dn(0)), ("member", DirectoryPeople.dn(1))]
        return LDIF.text(dn(name), (classes + members + (mail.map { [("mail", $0)] } ?? [])).bytes)
    }
}
