// VarlinkServerTests
