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
package let migrations: [Migration] = [
    ("cache", PackageResources.V0001_cache_sql),
    ("pages", PackageResources.V0002_pages_sql),
    ("pictures", PackageResources.V0003_pictures_sql),
    ("paused", PackageResources.V0004_paused_sql),
    ("moves", PackageResources.V0005_moves_sql),
    ("directories", PackageResources.V0006_directories_sql),
    ("digests", PackageResources.V0007_digests_sql),
    ("records", PackageResources.V0008_records_sql),
    ("lists", PackageResources.V0009_lists_sql),
    ("waits", PackageResources.V0010_waits_sql),
    ("left_out", PackageResources.V0011_left_out_sql),
    ("finding", PackageResources.V0012_finding_sql),
    ("whole", PackageResources.V0013_whole_sql),
    ("changes", PackageResources.V0014_changes_sql),
    ("stamps", PackageResources.V0015_stamps_sql),
    ("kinds", PackageResources.V0016_kinds_sql),
].map { (name: $0, sql: String(decoding: $1, as: UTF8.self)) }

/// `usrd`: marks the file as a cache of userd, not another program's database.
package let applicationID: Int32 = 0x7573_7264
