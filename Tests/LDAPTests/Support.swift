import Foundation
import HTTP
import LDAP
import Logging
import Model
import TestSupport
import Upstream
import YAML

let today = Timestamp(rfc3339: "2026-01-02T03:04:05Z")!

extension LDAPSettings {
    /// Settings for users in a directory, without a login.
    /// - Parameters:
    ///   - fields: YAML that overrides the format's own.
    ///   - skip: YAML in place of the format's own.
    init(_ url: String, fields: String = "", skip: String = "") throws {
        guard var format = try DirectoryFormat.named("ldap") else { throw FormatMistake("no format") }
        if let node = try YAMLNode.document(Array(fields.utf8)) {
            try format.override("fields", with: node, fields: UserField.all.map(\.name))
        }
        if let node = try YAMLNode.document(Array(skip.utf8)) {
            try format.override("skip", with: node, fields: [])
        }
        self.init(address: try LDAPAddress(url), format: format)
    }

    func bound(as dn: String = Slapd.admin, _ password: String = Slapd.password) -> LDAPSettings {
        var settings = self
        settings.credentials = Credentials(dn: dn) { (password, "1") }
        return settings
    }

    func with(_ change: (inout LDAPSettings) -> Void) -> LDAPSettings {
        var settings = self
        change(&settings)
        return settings
    }
}

/// A directory with the services of a sync.
struct Asked {
    let users: UsersService
    let pictures: PicturesService
    let directory: LDAPDirectory

    init(
        _ settings: LDAPSettings, logins: Logins? = nil,
        now: @escaping @Sendable () -> Timestamp = { today },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
        // For writes to a connection that the server has closed; userd ignores it, too.
        signal(SIGPIPE, SIG_IGN)
        directory = LDAPDirectory(
            settings, redactor: SecretRedactor(), logins: logins ?? Logins(now: now), now: now,
            logger: logger)
        (users, pictures) = (.ldap(directory), .ldap(directory))
    }

    /// All pages; nil if nothing has changed.
    /// - Parameter between: called after each page.
    func list(
        known: KnownPage? = nil, between: (Int) async throws -> Void = { _ in }
    ) async throws -> [Page<User>]? {
        var pages: [Page<User>] = []
        var next: PageRequest? = .first
        while let request = next {
            let page = try await users.fetchPage(request, known)
            guard page.change == .read else { return nil }
            pages.append(page)
            next = page.next
            try await between(pages.count)
        }
        return pages
    }

    func all() async throws -> [User] { try await list()?.flatMap(\.records) ?? [] }

    /// The failure of the list.
    func failure(between: (Int) async throws -> Void = { _ in }) async throws -> Failure? {
        try await error(between: between)?.failure
    }

    func error(between: (Int) async throws -> Void = { _ in }) async throws -> UpstreamError? {
        do {
            _ = try await list(between: between)
            return nil
        } catch let error as UpstreamError {
            return error
        }
    }
}
