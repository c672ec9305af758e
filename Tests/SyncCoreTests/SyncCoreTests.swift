// SyncCoreTests
