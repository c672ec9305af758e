import Model
import SQLite

/// An upstream page as of when its records were cached.
package struct CachedPage: Hashable, Sendable {
    /// From 1.
    package var number: Int
    package var known: KnownPage
    /// The next page and the total, as the page said; nil on the last page, and if the total is unknown.
    package var next: PageRequest?
    package var total: Int?
    /// Number of distinct records on this page.
    package var records: Int

    package init(number: Int, known: KnownPage, next: PageRequest?, total: Int?, records: Int) {
        self.number = number
        self.known = known
        self.next = next
        self.total = total
        self.records = records
    }
}

extension CachedPage {
    /// In the order of `Pages.columns`.
    func values(of resource: Resource) throws -> [Value] {
        [
            resource.rawValue.value, number.value, known.key.value, known.validators.etag.value,
            known.validators.lastModified.value, try next.map(json).value, total.value, records.value,
        ]
    }
}

/// Upstream's pages, written in one transaction with their records. A page with a missing record does not count.
enum Pages {
    static let columns = ["resource", "number", "key", "etag", "last_modified", "next", "total", "records"]

    static func find(_ number: Int, of resource: Resource, _ connection: Connection) throws -> CachedPage? {
        try connection.first(
            """
            SELECT key, etag, last_modified, next, total, records FROM pages
            WHERE resource = ? AND number = ? AND records =
                (SELECT count(*) FROM page_\(resource) p JOIN \(resource) USING (number) WHERE p.page = pages.number)
            """, [resource.rawValue.value, number.value]
        ) { row in
            CachedPage(
                number: number,
                known: KnownPage(
                    key: try row.text(0),
                    validators: Validators(
                        etag: try row.textOrNil(1), lastModified: try row.textOrNil(2))),
                next: try row.textOrNil(3).map { try decoded(PageRequest.self, from: $0) },
                total: row.isNull(4) ? nil : try row.int(4), records: try row.int(5))
        }
    }

    /// Replaces the pages with the staged ones, after the rows; writes only differences.
    static func commit(_ resource: Resource, _ connection: Connection) throws {
        let name = [resource.rawValue.value]
        func pages(in table: String) throws -> Int {
            try connection.firstInt("SELECT count(*) FROM \(table) WHERE resource = ?", name) ?? 0
        }
        guard try pages(in: "pages") + pages(in: "temp.staged_pages") > 0 else { return }

        let columns = columns.joined(separator: ", ")
        func difference(_ table: String, _ other: String) -> String {
            "SELECT \(columns) FROM \(table) WHERE resource = ?1 EXCEPT SELECT \(columns) FROM \(other)"
        }
        try connection.run(
            """
            DELETE FROM pages WHERE resource = ?1
            AND number IN (SELECT number FROM (\(difference("pages", "temp.staged_pages"))))
            """, name)
        try connection.run(
            "INSERT INTO pages (\(columns)) \(difference("temp.staged_pages", "pages"))", name)

        let staged = """
            FROM temp.staged_\(resource) s JOIN temp.staged_pages p ON p.resource = ?1 AND p.number = s.page
            JOIN \(resource) cached ON cached.id = s.id
            """
        // EXCEPT rather than NOT IN: for a missing pair, SQLite scans the whole list because of possible nulls.
        try connection.run(
            """
            DELETE FROM page_\(resource) WHERE (page, number) IN (
                SELECT page, number FROM page_\(resource) EXCEPT SELECT s.page, cached.number \(staged)
            )
            """, name)
        try connection.run(
            "INSERT OR IGNORE INTO page_\(resource) (page, number) SELECT s.page, cached.number \(staged)",
            name)
    }
}
