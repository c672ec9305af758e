import SQLite

/// The cache's schema, oldest migration first. A migration that has been released is never edited.
package let migrations = [
    Migration(
        version: 1, name: "cache", sql: String(decoding: PackageResources.V0001_cache_sql, as: UTF8.self))
]

/// `usrd`: what tells a cache of userd from another program's database.
package let applicationID: Int32 = 0x7573_7264
