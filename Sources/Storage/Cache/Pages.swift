import Model
import SQLite

extension Page {
    /// The row's values in the order of `Pages.columns`.
    func values(of resource: Resource, _ number: Int, _ known: KnownPage) throws -> [Value] {
        [
            resource.rawValue.value, number.value, known.key.value, known.validators.etag.value,
            known.validators.lastModified.value, known.digest.value, try next.map(json).value, total.value,
            count.value, try leftOut.isEmpty ? .null : json(leftOut).value, isCut.value,
        ]
    }
}

/// Upstream's pages, written in one transaction with their records. Removing one of its records removes the
/// page.
enum Pages {
    static let columns = [
        "resource", "number", "key", "etag", "last_modified", "digest", "next", "total", "records",
        "left_out",
        "is_cut",
    ]

    /// Nil if the page is not cached, or what is known of it can't be read: then it is fetched in full.
    static func find(_ number: Int, of resource: Resource, _ connection: Connection) throws -> Page<Never>? {
        let found: Page<Never>?? = try connection.first(
            """
            SELECT key, etag, last_modified, digest, next, total, records, left_out, is_cut FROM pages
            WHERE resource = ? AND number = ?
            """, [resource.rawValue.value, number.value]
        ) { row in
            try? Page<Never>(
                next: row.textOrNil(4).map { try decoded(PageRequest.self, from: $0) },
                total: row.isNull(5) ? nil : row.int(5),
                known: KnownPage(
                    key: row.text(0),
                    validators: Validators(etag: row.textOrNil(1), lastModified: row.textOrNil(2)),
                    digest: row.textOrNil(3)),
                leftOut: row.textOrNil(7).map { try decoded([String].self, from: $0) } ?? [],
                isCut: row.int(8) != 0, cachedCount: row.int(6))
        }
        return found ?? nil
    }

    /// Forgets the pages of these records. Call before the records are removed.
    /// - Parameter query: gives the records' numbers.
    static func forget(
        recordsIn query: String, _ bindings: [Value], of resource: Resource, _ connection: Connection
    )
        throws
    {
        try connection.run(
            """
            DELETE FROM pages WHERE resource = '\(resource)'
            AND number IN (SELECT page FROM page_\(resource) WHERE number IN (\(query)))
            """, bindings)
        try connection.run("DELETE FROM page_\(resource) WHERE number IN (\(query))", bindings)
    }

    /// Replaces the pages with the staged ones; writes only differences. Call after the rows are written.
    static func commit(_ resource: Resource, _ connection: Connection) throws {
        let name = [resource.rawValue.value]
        let columns = columns.joined(separator: ", ")
        func difference(_ table: String, _ other: String) -> String {
            "SELECT \(columns) FROM \(table) WHERE resource = ?1 EXCEPT SELECT \(columns) FROM \(other)"
        }
        let outdated = try connection.run(
            """
            DELETE FROM pages WHERE resource = ?1
            AND number IN (SELECT number FROM (\(difference("pages", "temp.staged_pages"))))
            """, name)
        let new = try connection.run(
            "INSERT INTO pages (\(columns)) \(difference("temp.staged_pages", "pages"))", name)
        guard try outdated + new > 0 || Staging.hasRows(resource, connection) else { return }

        // CROSS JOIN keeps SQLite from reading all records for each page.
        let staged = """
            FROM (\(Staging.numbered(resource))) s CROSS JOIN temp.staged_pages p
            ON p.resource = '\(resource)' AND p.number = s.page AND NOT p.is_same
            """
        let isSame = """
            page IN (SELECT number FROM temp.staged_pages WHERE resource = '\(resource)' AND is_same)
            """
        // Removes records that are no longer on any page.
        try connection.run(
            "DELETE FROM page_\(resource) WHERE NOT \(isSame) AND number NOT IN (SELECT s.number \(staged))")
        try connection.run(
            """
            INSERT INTO page_\(resource) (number, page) SELECT s.number, s.page \(staged) WHERE TRUE
            ON CONFLICT (number) DO UPDATE SET page = excluded.page WHERE page <> excluded.page
            """)
        // A record may have been removed during the sync, or by its commit.
        try connection.run(
            """
            DELETE FROM pages WHERE resource = ?1
            AND records <> (SELECT count(*) FROM page_\(resource) WHERE page = pages.number)
            """, name)
    }
}
