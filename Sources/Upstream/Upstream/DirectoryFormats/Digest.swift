import CCrypto
import FoundationEssentials
import HTTP
import Model

/// The first 128 bits of a SHA-256 over named parts, as 32 hex digits. Each part is preceded by its length, so that different
/// lists of parts give different bytes.
package struct Digest {
    private var context = SHA256_CTX()

    /// - Parameter kind: names what is digested, so that equal parts of different things differ.
    init(_ kind: String, _ parts: [(name: String, value: String?)]) {
        SHA256_Init(&context)
        update(Array(kind.utf8))
        for (name, value) in parts {
            guard let value else { continue }
            update(Array("\n\(name) \(value.utf8.count) \(value)".utf8))
        }
    }

    mutating func update(_ bytes: [UInt8]) { SHA256_Update(&context, bytes, bytes.count) }

    var text: String {
        var (ended, bytes) = (context, [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH)))
        SHA256_Final(&bytes, &ended)
        return bytes.prefix(16).map(\.hexadecimal).joined()
    }
}

/// IDs for records without one upstream. The same person or text has the same ID in every sync, on every
/// machine and in every version of userd; a page's key changes with the version.
extension Digest {
    package static func factID(_ text: String) -> String { digest("io.userd.fact", [("text", text)]) }

    /// Over what identifies a person: username, e-mail address (ASCII letters in lower case), first and last
    /// name, birth, registration, and `idValue`, the number of an identity card or the like. Addresses and
    /// pictures change, and so do telephones, which count only if there is no username, birth or `idValue`.
    package static func userID(_ user: User, idValue: String?) -> String {
        var parts: [(String, String?)] = [
            ("username", user.username),
            ("email", user.email?.asciiLowercased),
            ("first", user.name.first),
            ("last", user.name.last),
            ("born_at", user.bornAt.map { String($0.milliseconds) }),
            ("registered_at", user.registeredAt.map { String($0.milliseconds) }),
            ("id.value", idValue),
        ]
        if user.username == nil && user.bornAt == nil && idValue == nil {
            parts += [("phone", user.phone), ("cell", user.cell)]
        }
        return digest("io.userd.user", parts)
    }

    /// Over everything that a page depends on except the answer. Address and body are kept only in this form, because
    /// they may hold a secret.
    /// - Parameter day: nil if the day makes no difference.
    package static func pageKey(
        _ request: HTTPRequest, format: String, _ settings: UpstreamSettings, on day: String?,
        members: [String] = User.members
    ) -> String {
        digest(
            "io.userd.page",
            [
                ("version", version), ("members", members.joined(separator: " ")), ("format", format),
                ("url", request.url.absoluteString), ("day", day),
                ("body", request.body.map { String(decoding: $0, as: UTF8.self) }),
                // The format uses these to tell whether there is a next page.
                ("page_size", "\(settings.pageSize)"), ("pages", settings.pages.map { "\($0)" }),
            ])
    }

    /// Over all of an answer that its page is read from.
    /// - Parameter names: headers that the next page depends on, besides `Link`.
    package static func answer(
        _ response: HTTPResponse, to page: PageRequest, keeping names: [String] = []
    ) -> String {
        let links = response.headers.fields.filter { $0.isNamed("Link") }.map(\.value)
        let headers = names.map { response.headers[$0] ?? "" }.joined(separator: "\n")
        var digest = Digest(
            "io.userd.answer",
            [
                ("url", response.url?.absoluteString), ("link", links.joined(separator: ", ")),
                ("headers", names.isEmpty ? nil : headers),
                ("offset", page.offset.map { "\($0)" }),
                ("first_page_records", page.firstPageRecords.map { "\($0)" }),
            ])
        digest.update(response.body)
        return digest.text
    }

    /// The key of all pages of a list that changes as a whole.
    /// - Parameters:
    ///   - settings: everything that the list depends on.
    ///   - day: nil if the day makes no difference.
    package static func listKey(_ settings: String, on day: String?) -> String {
        digest(
            "io.userd.list",
            [
                ("version", version), ("members", User.members.joined(separator: " ")),
                ("settings", settings), ("day", day),
            ])
    }

    /// Binds what is known of changes to the list that they follow.
    /// - Parameters:
    ///   - list: the key of its first page.
    ///   - identity: who asks.
    package static func changesKey(_ list: String, identity: String) -> String {
        digest("io.userd.changes", [("list", list), ("identity", identity)])
    }

    /// A cached page keeps left-out ids only in this form, to count them.
    package static func leftOut(_ id: String) -> String { digest("io.userd.left-out", [("id", id)]) }

    private static func digest(_ kind: String, _ parts: [(name: String, value: String?)]) -> String {
        Digest(kind, parts).text
    }
}
