import SQLite

/// The cache's schema, oldest migration first. A released migration is never edited, with one exception:
/// "records" also set an option of FTS5, which nothing depends on.
///
/// In: nothing. Out: the SQL of each migration, which the build puts into the program.
///
/// Start: a new one is a file with the next number, a line here, and its name in Package.swift.
/// Migrator.swift of SQLite runs what a file lacks, all in one transaction; userctl reads only a file of the
/// current schema.
///
/// Threads: they run on the writer's thread of the cache, before userd serves.
package let migrations = [
    migration(1, "cache", PackageResources.V0001_cache_sql),
    migration(2, "pages", PackageResources.V0002_pages_sql),
    migration(3, "pictures", PackageResources.V0003_pictures_sql),
    migration(4, "paused", PackageResources.V0004_paused_sql),
    migration(5, "moves", PackageResources.V0005_moves_sql),
    migration(6, "directories", PackageResources.V0006_directories_sql),
    migration(7, "digests", PackageResources.V0007_digests_sql),
    migration(8, "records", PackageResources.V0008_records_sql),
    migration(9, "lists", PackageResources.V0009_lists_sql),
    migration(10, "waits", PackageResources.V0010_waits_sql),
    migration(11, "left_out", PackageResources.V0011_left_out_sql),
    migration(12, "finding", PackageResources.V0012_finding_sql),
    migration(13, "whole", PackageResources.V0013_whole_sql),
]

private func migration(_ version: Int, _ name: String, _ sql: [UInt8]) -> Migration {
    Migration(version: version, name: name, sql: String(decoding: sql, as: UTF8.self))
}

/// `usrd`: marks the file as a cache of userd, not another program's database.
package let applicationID: Int32 = 0x7573_7264
