// DemoUpstreamTests
