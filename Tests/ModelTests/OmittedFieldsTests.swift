import Model
import Testing

@Suite("Fields that are left out")
struct OmittedFieldsTests {
    private let full = UserField.all.reduce(into: User.samples[0]) { user, field in
        guard field.text(of: &user) == nil else { return }
        switch field.kind {
        case .required: break
        case .text(let path): user[keyPath: path] = field == .kind ? "group" : "x"
        case .date(let path): user[keyPath: path] = Timestamp(milliseconds: 0)
        case .count(let path): user[keyPath: path] = 1
        case .number(let path): user[keyPath: path] = 1
        case .contacts(let path): user[keyPath: path] = [User.Contact(value: "x")]
        }
    }

    /// The members of a user that have a value.
    private func values(_ user: User) -> Set<String> {
        func names(_ value: Any, _ path: String) -> [String] {
            Mirror(reflecting: value).children.flatMap { child -> [String] in
                guard let label = child.label else { return [] }
                var value = child.value
                let mirror = Mirror(reflecting: value)
                if mirror.displayStyle == .optional {
                    guard let wrapped = mirror.children.first else { return [] }
                    value = wrapped.value
                }
                let isPart =
                    value is User.Name || value is User.Address || value is User.Picture
                    || value is User.Manager
                return isPart ? names(value, "\(label).") : [path + label]
            }
        }
        return Set(names(user, ""))
    }

    @Test("Each name takes away what it names and nothing else", arguments: UserField.omittable.map(\.name))
    func each(name: String) throws {
        let fields = try #require(UserField.omittable.first { $0.name == name }).fields
        let lost = values(full).subtracting(values(full.omitting(fields)))
        #expect(lost.count == fields.count, "\(lost)")
        #expect(full.omitting(fields).omitting(fields) == full.omitting(fields))
    }

    @Test("All together leave the id, the name and the kind")
    func all() {
        let all = UserField.omittable.reduce(into: Set<UserField>()) { $0.formUnion($1.fields) }
        #expect(values(full.omitting(all)) == ["id", "name.first", "name.last", "kind"])
        #expect(all.count == UserField.all.count - 4)
        #expect(full.omitting([.id, .given, .family]) == full)
    }

    @Test("A telephone number or an address that is left out is not in a list either")
    func lists() {
        func omitting(_ names: String...) -> User {
            names.reduce(full) { user, name in
                user.omitting(UserField.omittable.first { $0.name == name }?.fields ?? [])
            }
        }
        #expect(omitting("phone").cell == full.cell && omitting("phone").phones == nil)
        #expect(omitting("cell").phone == full.phone && omitting("cell").phones == nil)
        #expect(omitting("email").emails == nil)
        #expect(omitting("emails").email == full.email && omitting("emails").emails == nil)
        #expect(omitting("picture").picture == nil && omitting("manager").manager == nil)
        #expect(omitting("manager_id").manager == User.Manager(name: "髙橋花子"))
    }
}
