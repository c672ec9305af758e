import Foundation
import HTTP
import Model
import StrictJSON
import Testing

@testable import Upstream

/// Recorded answers of real directories, in a folder next to the repository if it exists.
@Suite("Recorded answers of directories")
struct PayloadTests {
    static let formats = ["scim", "graph", "google", "okta", "keycloak", "gitlab"]
    /// Files that are not lists of users, or have another form.
    private static let others = ["config", "people_", "error", "delta_"]

    static func files(_ folder: String) -> [String] {
        let root = #filePath.prefix(#filePath.count - "Tests/DirectoryFormatsTests/PayloadTests.swift".count)
        let path = "\(root)../shared/payloads/directories/\(folder)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            print(
                "No recorded answers at ../shared/payloads/directories/\(folder): what they teach is in the other tests."
            )
            return []
        }
        return names.filter { name in
            name.hasSuffix(".json") && !others.contains { name.contains($0) }
        }.sorted().map { "\(path)/\($0)" }
    }

    /// The file's records as Foundation reads them.
    private func records(_ body: Data) throws -> [[String: Any]] {
        let top = try JSONSerialization.jsonObject(with: body)
        if let list = top as? [[String: Any]] { return list }
        let object = try #require(top as? [String: Any])
        for name in ["Resources", "resources", "value", "users"] where object[name] != nil {
            return object[name] as? [[String: Any]] ?? []
        }
        return object["id"] == nil ? [] : [object]
    }

    /// The format for one page, or for a single object, without `skip` and totals.
    private func format(_ name: String, single: Bool) throws -> DirectoryFormat {
        var format = try #require(try DirectoryFormat.named(name))
        format.skip = []
        format.paging = .init()
        if single { format.records = .whole }
        return format
    }

    @Test("Users in recorded answers have all fields that are there", arguments: formats)
    func all(name: String) async throws {
        for path in Self.files(name) {
            let data = try Data(contentsOf: URL(filePath: path))
            let records = try records(data)
            let text = String(decoding: data, as: UTF8.self).trimmingBlanks()
            let top = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let isSingle = top?["id"] != nil
            let page = try await page(isSingle ? "[\(text)]" : text, format(name, single: isSingle))
            let named = records.filter { Self.hasName($0, name) }
            #expect(page.records.count == named.count, "\(path)")
            for (user, record) in zip(page.records, named) {
                #expect(user.id == Self.text(record, "id"), "\(path)")
                for (field, pointers) in Self.map[name] ?? [:] {
                    let expected = pointers.lazy.compactMap { Self.text(record, $0) }.first
                    #expect(Self.value(field, of: user) == expected, "\(path): \(field) of \(user.id)")
                }
            }
        }
    }

    private static func hasName(_ record: [String: Any], _ format: String) -> Bool {
        ["username", "given", "family", "display"].contains { field in
            (map[format]?[field] ?? []).contains { text(record, $0) != nil }
        }
    }

    /// The README's maps in dotted form: the source of each field, except contacts.
    private static let map: [String: [String: [String]]] = {
        let urn = "urn:ietf:params:scim:schemas:extension:enterprise:2!0:User"
        return [
            "scim": [
                "username": ["userName"], "given": ["name.givenName"], "family": ["name.familyName"],
                "display": ["displayName", "name.formatted", "name!formatted"], "title": ["title"],
                "department": ["\(urn).department", "EnterpriseUser.department"],
                "company": ["\(urn).organization", "EnterpriseUser.organization"],
                "manager": ["\(urn).manager.value", "EnterpriseUser.manager.value"],
                "number": ["\(urn).employeeNumber", "EnterpriseUser.employeeNumber"],
            ],
            "graph": [
                "username": ["userPrincipalName"], "given": ["givenName"], "family": ["surname"],
                "display": ["displayName"], "email": ["mail"], "title": ["jobTitle"],
                "department": ["department"], "company": ["companyName"], "manager": ["manager.id"],
                "cell": ["mobilePhone"], "office": ["officeLocation"],
            ],
            "google": [
                "username": ["primaryEmail"], "given": ["name.givenName"], "family": ["name.familyName"],
                "display": ["name.fullName"], "email": ["primaryEmail"], "picture": ["thumbnailPhotoUrl"],
            ],
            "okta": [
                "username": ["profile.login"], "given": ["profile.firstName"], "family": ["profile.lastName"],
                "display": ["profile.displayName"], "email": ["profile.email"], "title": ["profile.title"],
                "department": ["profile.department"], "company": ["profile.organization"],
                "manager": ["profile.managerId"], "cell": ["profile.mobilePhone"],
            ],
            "keycloak": [
                "username": ["username"], "given": ["firstName"], "family": ["lastName"], "email": ["email"],
            ],
            "gitlab": [
                "username": ["username"], "display": ["name"], "email": ["email", "public_email"],
                "title": ["job_title"], "company": ["organization"], "picture": ["avatar_url"],
            ],
        ]
    }()

    /// The text at a dotted path; `!` stands for a dot in a name.
    private static func text(_ record: [String: Any], _ path: String) -> String? {
        var value: Any? = record
        for name in path.split(separator: ".") {
            value = (value as? [String: Any])?[String(name).replacing("!", with: ".")]
        }
        switch value {
        case let text as String: return text.allSatisfy(\.isWhitespace) ? nil : text
        case let number as NSNumber: return "\(number)"
        default: return nil
        }
    }

    private static func value(_ field: String, of user: User) -> String? {
        switch field {
        case "username": user.username
        case "given": user.name.first.isEmpty ? nil : user.name.first
        // A user without a name has another field as the last name.
        case "family":
            user.name.first.isEmpty && [user.displayName, user.username].contains(user.name.last)
                ? nil : user.name.last
        case "display": user.displayName
        case "email": user.email
        case "cell": user.cell
        case "title": user.jobTitle
        case "department": user.department
        case "company": user.company
        case "manager": user.manager?.id
        case "number": user.employeeNumber
        case "office": user.office
        default: user.picture?.large ?? user.picture?.thumbnail
        }
    }

    @Test("Users in recorded SCIM answers have their addresses, telephones and dates")
    func scim() async throws {
        for path in Self.files("scim") where path.contains("oracle") || path.contains("sgnl") {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let page = try await page(text, format("scim", single: false))
            for user in page.records {
                #expect(user.email?.contains("@") == true)
                #expect(user.updatedAt != nil || path.contains("sgnl"))
            }
            if path.contains("sgnl") {
                let user = try #require(page.records.first)
                #expect(user.emails?.map(\.kind) == ["work", "home"])
                #expect([user.phone, user.cell] == ["555-555-5555", "555-555-4444"])
                #expect(user.address.city == "Hollywood" && user.address.postcode == "91608")
            }
        }
    }

    @Test("Recorded errors lead to messages with the vendor's own words")
    func errors() async throws {
        let words = [
            "rfc7644_error_mutability": "Attribute 'id' is readOnly",
            "error_401_token_empty": "token is empty",
            "error_404_E0000007": "Resource not found", "error_429": "rate limit", "error_401.json": "401",
        ]
        var seen = 0
        for name in Self.formats {
            for (file, expected) in words {
                let root = #filePath.prefix(
                    #filePath.count - "Tests/DirectoryFormatsTests/PayloadTests.swift".count)
                let folder = "\(root)../shared/payloads/directories/\(name)"
                for found in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                where found.contains(file) && found.hasSuffix(".json") {
                    let body = try String(contentsOfFile: "\(folder)/\(found)", encoding: .utf8)
                    let failure = try await failure(body, format(name, single: false), status: 400)
                    #expect(
                        failure?.message.lowercased().contains(expected.lowercased()) == true,
                        "\(found): \(failure?.message ?? "")")
                    seen += 1
                }
            }
        }
        #expect(seen == 0 || seen >= 4)
    }

    @Test(
        "Other directories are read with ten lines of YAML",
        arguments: [
            (
                "auth0",
                "records: /users\nfields: {id: /user_id, username: /username, given: /given_name, family: /family_name, display_name: /name, email: /email, picture_large: /picture, updated_at: /updated_at}"
            ),
            (
                "authentik",
                "records: /results\nfields: {id: /pk, username: /username, display_name: /name, email: /email, company: /attributes/organisation, registered_at: /date_joined}"
            ),
            (
                "zitadel",
                "records: /result\nfields: {id: /userId, username: /preferredLoginName, given: /human/profile/givenName, family: /human/profile/familyName, display_name: /human/profile/displayName, email: /human/email/email, phone: /human/phone/phone}"
            ),
            (
                "jumpcloud",
                "records: \"\"\nfields: {id: /_id, username: /username, given: /firstname, family: /lastname, display_name: /displayname, email: /email, registered_at: /created}"
            ),
        ])
    func byConfiguration(folder: String, yaml: String) async throws {
        for path in Self.files(folder) where path.contains("users") {
            let body = try String(contentsOfFile: path, encoding: .utf8)
            let page = try await page(body, .configured("json", yaml))
            #expect(!page.records.isEmpty)
            for user in page.records {
                #expect(user.username != nil && user.email?.contains("@") == true, "\(path)")
                #expect(user.displayName != nil)
            }
        }
    }
}
