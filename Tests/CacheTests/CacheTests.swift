// CacheTests
