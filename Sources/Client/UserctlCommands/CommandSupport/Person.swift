import Glibc

/// Says who calls userctl.
struct Person: Sendable {
    struct Login {
        let name: String
        /// The machine's; may be empty.
        let fullName: String
        /// The variable EMAIL.
        let address: String?
    }

    var login: @Sendable () -> Login?
    /// The principal of a valid Kerberos ticket.
    var principal: @Sendable () -> String?
}

extension Person {
    static let unknown = Person(login: { nil }, principal: { nil })

    static func live(_ environment: Environment) -> Person {
        Person(
            login: {
                guard let entry = getpwuid(getuid())?.pointee else { return nil }
                // The first of the parts that chfn(1) writes.
                let fullName = entry.pw_gecos.map { String(cString: $0) }?.prefix { $0 != "," } ?? ""
                return Login(
                    name: String(cString: entry.pw_name), fullName: String(fullName),
                    address: environment.value("EMAIL"))
            },
            principal: { Klist(DoctorProbes.live(environment)).principal })
    }
}
