/// Writes people as directories do.
///
/// Texts of people are written unescaped, because they contain nothing that JSON must escape.
struct DirectoryWriter {
    let people: People
    /// Base URL of the portraits.
    let base: String

    func text(of person: Person, in list: DirectoryList) -> String {
        let (login, place, job) = (person.login, person.place, person.job)
        let manager = people.manager(of: person)
        switch list {
        case .scim: return scim(person, login, place, manager)
        case .link:
            return #"""
                {"id":"\#(login.uuid)","status":"\#(person.isActive ? "ACTIVE" : "SUSPENDED")",\#
                "created":"\#(person.registered.text)","lastUpdated":"\#(person.modified.text)",\#
                "profile":{"login":"\#(login.username)","firstName":"\#(person.first.text)",\#
                "lastName":"\#(person.last.text)","email":"\#(person.email)",\#
                "primaryPhone":\#(orNull(person.phone)),"mobilePhone":\#(orNull(person.cell)),\#
                "title":"\#(job.title)","department":"\#(job.department)","organization":"\#(job.company)",\#
                "employeeNumber":"\#(job.number)","managerId":\#(orNull(manager?.login.uuid)),\#
                "manager":\#(orNull(manager?.name)),"city":"\#(place.city)",\#
                "countryCode":"\#(person.nationality.code)"}}
                """#
        case .url:
            return #"""
                {"id":"\#(login.uuid)","userPrincipalName":"\#(login.username)@example.com",\#
                "displayName":"\#(person.name)","givenName":"\#(person.first.text)",\#
                "surname":"\#(person.last.text)","mail":"\#(person.email)",\#
                "businessPhones":\#(array(person.phone.map(\.jsonQuoted))),\#
                "mobilePhone":\#(orNull(person.cell)),\#
                "jobTitle":"\#(job.title)","department":"\#(job.department)","companyName":"\#(job.company)",\#
                "employeeId":"\#(job.number)","createdDateTime":"\#(person.registered.text)",\#
                "city":"\#(place.city)","accountEnabled":\#(person.isActive)}
                """#
        case .cursor:
            return #"""
                {"id":"\#(login.uuid)","primaryEmail":"\#(person.email)",\#
                "name":{"givenName":"\#(person.first.text)","familyName":"\#(person.last.text)",\#
                "fullName":"\#(person.name)"},"emails":\#(emails(person, login, key: "address")),\#
                "phones":\#(phones(person)),"organizations":[{"name":"\#(job.company)","title":"\#(job.title)",\#
                "department":"\#(job.department)","primary":true}],"creationTime":"\#(person.registered.text)",\#
                "suspended":\#(!person.isActive)}
                """#
        case .offset:
            return #"""
                {"id":"\#(login.uuid)","username":"\#(login.username)","firstName":"\#(person.first.text)",\#
                "lastName":"\#(person.last.text)","email":"\#(person.email)","enabled":\#(person.isActive),\#
                "attributes":{"phoneNumber":\#(array(person.phone.map(\.jsonQuoted))),\#
                "title":["\#(job.title)"],"department":["\#(job.department)"]}}
                """#
        case .number:
            return #"""
                {"no":\#(job.number),"person":{"names":{"called":"\#(person.first.text)",\#
                "family":"\#(person.last.text)"},"born":"\#(person.born.date.text)"},\#
                "reach":{"mail":"\#(person.email)","desk":\#(orNull(person.phone)),\#
                "pocket":\#(orNull(person.cell))},"post":{"role":"\#(job.title)","unit":"\#(job.department)",\#
                "head":\#(manager.map { "\($0.job.number)" } ?? "null")},"gone":\#(!person.isActive)}
                """#
        }
    }

    /// With the enterprise extension (RFC 7643, section 4.3), and with a password, which no client may keep.
    private func scim(_ person: Person, _ login: Login, _ place: Place, _ manager: Person?) -> String {
        let job = person.job
        let manager = manager.map {
            #","manager":{"value":"\#($0.login.uuid)","displayName":"\#($0.name)"}"#
        }
        let photos = [("photo", Portrait.Size.large), ("thumbnail", .thumbnail)].map { type, size in
            person.portrait(size).map { #"{"value":"\#(base)\#($0)","type":"\#(type)"}"# }
        }
        return #"""
            {"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","\#(Self.enterprise)"],\#
            "id":"\#(login.uuid)","userName":"\#(login.username)",\#
            "name":{"formatted":"\#(person.name)","familyName":"\#(person.last.text)",\#
            "givenName":"\#(person.first.text)","honorificPrefix":"\#(person.title)"},\#
            "displayName":"\#(person.name)","title":"\#(job.title)","active":\#(person.isActive),\#
            "password":"demo-password-\#(login.password)","emails":\#(emails(person, login, key: "value")),\#
            "phoneNumbers":\#(phones(person)),\#
            "addresses":[{"type":"work","streetAddress":"\#(place.number) \#(place.street)",\#
            "locality":"\#(place.city)","region":"\#(place.state)","postalCode":"\#(place.postcode)",\#
            "country":"\#(person.nationality.code)"}],"photos":\#(array(photos[0], photos[1])),\#
            "\#(Self.enterprise)":{"employeeNumber":"\#(job.number)","organization":"\#(job.company)",\#
            "department":"\#(job.department)"\#(manager ?? "")},\#
            "meta":{"resourceType":"User","created":"\#(person.registered.text)",\#
            "lastModified":"\#(person.modified.text)","location":"\#(base)/scim/v2/Users/\#(login.uuid)"}}
            """#
    }

    private func emails(_ person: Person, _ login: Login, key: String) -> String {
        #"""
        [{"\#(key)":"\#(person.email)","type":"work","primary":true},\#
        {"\#(key)":"\#(login.username)@home.example","type":"home"}]
        """#
    }

    private func phones(_ person: Person) -> String {
        array(
            person.phone.map { #"{"value":"\#($0)","type":"work"}"# },
            person.cell.map { #"{"value":"\#($0)","type":"mobile"}"# })
    }

    private func array(_ items: String?...) -> String {
        "[" + items.compactMap(\.self).joined(separator: ",") + "]"
    }

    private func orNull(_ text: String?) -> String { text?.jsonQuoted ?? "null" }

    private static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
}
