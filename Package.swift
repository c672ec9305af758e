// swift-tools-version: 6.2

import PackageDescription

/// Released programs have full RELRO.
let released = LinkerSetting.unsafeFlags(
    ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
    .when(configuration: .release))

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let bits = Target.Dependency.product(name: "BitCollections", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSOCKS = Target.Dependency.product(name: "NIOSOCKS", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// Targets through which tests send much data are optimized in the debug build, too: otherwise tests take minutes.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "userd",
    products: [
        .executable(name: "userd", targets: ["userd"]),
        .executable(name: "userctl", targets: ["userctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ])

/// The targets in a folder of Sources. They use each other and the folders below: Client and Daemon use Protocol and Sync,
/// these use Upstream and Storage, and all use Base.
@MainActor
func folder(_ name: String, _ targets: [Target]) {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    package.targets += targets
}

folder(
    "Base",
    [
        // Headers that Swift's Glibc module lacks: netlink, timerfd, eventfd, pidfd, malloc, resolver(3).
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(name: "YAML", dependencies: ["CYAML", "Platform"]),
        .target(name: "Model", swiftSettings: optimized),
        .target(name: "Platform", dependencies: ["CLinux", argumentParser]),
        .target(name: "StrictJSON", swiftSettings: optimized),
    ])
folder(
    "Storage",
    [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(
            name: "Cache",
            dependencies: ["CUTF8Proc", "Migrations", "Model", "Platform", "SQLite", "StrictJSON", bits],
            swiftSettings: optimized),
        .target(
            name: "SQLite", dependencies: ["CLinux", "CSQLite", "Platform"],
            swiftSettings: optimized),
    ])
package.targets.append(
    .target(
        name: "Migrations", dependencies: ["SQLite"], path: "Migrations",
        resources: [
            "V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves",
            "V0006_directories", "V0007_digests", "V0008_records", "V0009_lists", "V0010_waits",
            "V0011_left_out", "V0012_finding", "V0013_whole", "V0014_changes", "V0015_stamps", "V0016_kinds",
        ].map {
            .embedInCode("\($0).sql")
        }))
folder(
    "Upstream",
    [
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLDAP", providers: [.apt(["libldap-dev"])]),
        .target(name: "HTTP", dependencies: ["Model", "Platform", "StrictJSON"]),
        // Uses async-http-client and the packages that it is built on, since its options and errors are theirs.
        .target(
            name: "HTTPClient",
            dependencies: [
                "HTTP", "Model", "Platform", asyncHTTPClient, nioCore, nioHTTP1, nioCompression, nioPosix,
                nioSOCKS, nioSSL, nioTLS,
            ]),
        .target(
            name: "LDAP",
            dependencies: ["CLDAP", "HTTP", "Model", "Platform", "StrictJSON", "Upstream", logging]),
        // The redirect of a browser, in SignIn, is the only thing that it serves.
        .target(
            name: "Upstream",
            dependencies: [
                "CCrypto", "CLinux", "YAML", "HTTP", "Model", "Platform", "StrictJSON", nioCore,
                nioHTTP1, nioPosix,
            ],
            resources: [
                "scim", "graph", "google", "google-people", "okta", "keycloak", "gitlab", "userd", "json",
                "ldap", "randomuser", "catfact",
            ].map { .embedInCode("DirectoryFormats/Formats/\($0).yaml") }
                + ["large", "medium", "thumbnail"].map { .embedInCode("Services/Portraits/\($0).png") }),
    ])
folder(
    "Sync",
    [
        .target(
            name: "Sync",
            dependencies: ["CLinux", "Cache", "HTTP", "Model", "Upstream", deque, logging])
    ])
folder(
    "Protocol",
    [
        // RFC 6352 by hand: no library that can be had serves it.
        .target(
            name: "CardDAV",
            dependencies: [
                "CExpat", "Model", "Platform", "Reads", "UserdAPI", "Varlink", logging, nioCore, nioHTTP1,
                nioPosix,
            ], swiftSettings: optimized),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .target(
            name: "Reads", dependencies: ["Cache", "Model", "StrictJSON", "UserdAPI", "Varlink"],
            resources: [.embedInCode("placeholder.png")]),
        .target(
            name: "UserdAPI", dependencies: ["Model", "StrictJSON", "Varlink"],
            resources: [.embedInCode("io.userd.varlink")], swiftSettings: optimized),
        .target(
            name: "Varlink", dependencies: ["StrictJSON"],
            resources: [.embedInCode("org.varlink.service.varlink")]),
        .target(
            name: "VarlinkServer",
            dependencies: ["Platform", "Varlink", deque, logging, nioCore, nioPosix]),
    ])
folder(
    "Daemon",
    [
        .target(
            name: "Daemon",
            dependencies: [
                "CLinux", "Cache", "CardDAV", "YAML", "HTTP", "HTTPClient", "LDAP", "Model",
                "Platform", "Reads", "StrictJSON", "Sync", "Upstream", "UserdAPI", "Varlink", "VarlinkServer",
                argumentParser, logging, unixSignals,
            ]),
        .executableTarget(name: "userd", dependencies: ["Daemon"], linkerSettings: [released]),
    ])
folder(
    "Client",
    [
        .systemLibrary(
            name: "CPictures", providers: [.apt(["libturbojpeg0-dev", "libpng-dev", "zlib1g-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "TerminalViews", dependencies: ["Model"]),
        .executableTarget(
            name: "userctl", dependencies: ["Platform", "UserctlCommands"], linkerSettings: [released]),
        .target(
            name: "UserctlCommands",
            dependencies: [
                "CPictures", "CSystemd", "Cache", "YAML", "HTTP", "Model", "Platform", "Reads", "StrictJSON",
                "TerminalViews", "UserdAPI", "Varlink", argumentParser,
            ],
            resources: [.embedInCode("Diagnostics/Report/Words.txt")]),
        // Needed only to build userd.
        .executableTarget(name: "userd-manual", dependencies: ["Model", "Platform", argumentParser]),
    ])

// Tests, their shared code, and programs that they run.
package.targets += [
    .target(
        name: "TestSupport", dependencies: ["Varlink", logging, nioCore, nioPosix, nioSSL],
        path: "Tests/TestSupport"),
    .target(
        name: "MockDaemon", dependencies: ["Model", "Upstream", "UserdAPI", "Varlink"],
        path: "Tests/MockDaemon"),
    .target(
        name: "Stubs",
        dependencies: ["HTTP", "Model", "TestSupport", "Upstream"],
        path: "Tests/Stubs"),
    .testTarget(
        name: "ToolTests",
        dependencies: ["HTTP", "Model", "StateRecording", "Stubs", "TestSupport", "Upstream"]),
    .target(
        name: "StateRecording",
        dependencies: ["Model", "Sync", "TestSupport", "UserdAPI", "Varlink"],
        path: "Tests/StateRecording"),
    .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
    .testTarget(
        name: "ServicesTests",
        dependencies: [
            "DemoUpstream", "HTTP", "HTTPClient", "Model", "StrictJSON", "TestSupport", "Upstream", nioCore,
        ]),
    .testTarget(
        name: "SignInTests",
        dependencies: [
            "CCrypto", "HTTP", "HTTPClient", "Model", "Platform", "StrictJSON", "TestSupport", "Upstream",
        ]),
    .testTarget(
        name: "DiscoveryTests",
        dependencies: ["HTTP", "Model", "TestSupport", "Upstream"]),
    .testTarget(
        name: "DirectoryFormatsTests",
        dependencies: ["YAML", "HTTP", "LDAP", "Model", "StrictJSON", "TestSupport", "Upstream"]),
    .testTarget(
        name: "LDAPTests",
        dependencies: [
            "Daemon", "HTTP", "LDAP", "Model", "StrictJSON", "TestSupport", "Upstream", "UserctlCommands",
            "UserdAPI", "YAML", logging,
        ]),
    .testTarget(
        name: "RecordingsTests", dependencies: ["HTTP", "Model", "StrictJSON", "TestSupport"]),
    .testTarget(name: "SQLiteTests", dependencies: ["CSQLite", "SQLite", "TestSupport"]),
    .testTarget(
        name: "CacheTests",
        dependencies: ["CUTF8Proc", "Cache", "Migrations", "Model", "Platform", "SQLite", "TestSupport"]),
    .testTarget(name: "SyncCoreTests", dependencies: ["Model", "Sync", "TestSupport"]),
    .testTarget(
        name: "SyncEngineTests",
        dependencies: [
            "Cache", "Daemon", "HTTP", "LDAP", "Model", "Stubs", "Sync", "TestSupport", "Upstream", "YAML",
            logging,
        ]),
    // Prints the kernel's events, in a network of its own.
    .executableTarget(
        name: "wakeups-probe", dependencies: ["Sync"], path: "Tests/WakeupsProbe"),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"]),
    .testTarget(
        name: "SystemEventsTests",
        dependencies: ["CLinux", "Sync", "TestSupport", "wakeups-probe"]),
    // A layer under SQLite in which one call fails.
    .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
        name: "SimulatorTests",
        dependencies: ["CFaultVFS", "Cache", "Model", "SQLite", "Sync", "TestSupport", "Upstream", logging]),
    .testTarget(
        name: "FailureTests",
        dependencies: [
            "Cache", "Daemon", "DemoUpstream", "HTTP", "HTTPClient", "Model", "Sync", "TestSupport",
            "Upstream", logging,
        ]),
    .target(name: "VarlinkFixtures", dependencies: ["StrictJSON", "Varlink"], path: "Tests/VarlinkFixtures"),
    .target(
        name: "Fuzzing",
        dependencies: ["HTTP", "Model", "StrictJSON", "Upstream", "Varlink", "VarlinkFixtures"],
        path: "Tests/Fuzzing", exclude: ["Corpus", "upstream.dict"]),
    .testTarget(
        name: "VarlinkTests",
        dependencies: ["Fuzzing", "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures"],
        exclude: ["Released"]),
    .testTarget(
        name: "CardDAVTests",
        dependencies: ["Cache", "CardDAV", "Model", "Reads", "TestSupport", "UserdAPI", nioCore, nioEmbedded]),
    .testTarget(
        name: "VarlinkServerTests",
        dependencies: [
            "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures", "VarlinkServer", logging, nioCore,
            nioPosix,
        ]),
    .testTarget(
        name: "UserdTests",
        dependencies: [
            "Cache", "Daemon", "HTTP", "MockDaemon", "Model", "Reads", "StateRecording", "StrictJSON",
            "Stubs",
            "Sync", "TestSupport", "Upstream", "UserdAPI", "Varlink", "VarlinkServer", logging,
        ]),
    .testTarget(name: "YAMLTests", dependencies: ["YAML", "TestSupport"]),
    .testTarget(
        name: "SettingsTests",
        dependencies: [
            "Daemon", "HTTPClient", "Model", "Platform", "TestSupport", "Upstream", "UserdAPI", "YAML",
            argumentParser, logging,
        ]),
    .testTarget(name: "SystemdNotifyTests", dependencies: ["Daemon", "Model", "TestSupport", "UserdAPI"]),
    .testTarget(
        name: "UserctlTests",
        dependencies: [
            "CSystemd", "Cache", "HTTP", "MockDaemon", "Model", "Platform", "StrictJSON", "TerminalViews",
            "TestSupport", "Upstream", "UserctlCommands", "UserdAPI", "Varlink", "YAML", argumentParser,
        ], exclude: ["Shells"]),
    .testTarget(
        name: "TerminalViewsTests", dependencies: ["Model", "TerminalViews", "TestSupport"]),
    .testTarget(
        name: "PictureDecodingTests", dependencies: ["TerminalViews", "TestSupport", "UserctlCommands"]),
    // An upstream for tests and demonstrations, also as a program.
    .systemLibrary(name: "CZlib", path: "Tests/CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
        name: "DemoUpstream", dependencies: ["CPictures", "CZlib", nioCore, nioHTTP1, nioPosix],
        path: "Tests/DemoUpstream",
        resources: ["facts", "lists", "people", "words"].map { .embedInCode("Data/\($0).txt") },
        swiftSettings: optimized),
    .executableTarget(
        name: "userd-demo-upstream", dependencies: ["DemoUpstream", "Platform", argumentParser],
        path: "Tests/DemoUpstreamProgram"),
    .testTarget(
        name: "DemoUpstreamTests", dependencies: ["DemoUpstream", "TestSupport", "userd-demo-upstream"]),
    // The interface with which Varlink's own clients test a service.
    .executableTarget(
        name: "varlink-certification",
        dependencies: ["StrictJSON", "Varlink", "VarlinkServer", argumentParser, logging, unixSignals],
        path: "Tests/Certification", resources: [.embedInCode("org.varlink.certification.varlink")]),
    // Without programs in other languages and recordings, which tests use in place.
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "Cache", "DemoUpstream", "Migrations", "Model", "Platform", "SQLite", "StateRecording",
            "StrictJSON", "TestSupport", "Upstream", "UserctlCommands", "UserdAPI", "Varlink",
        ], exclude: ["Clients", "Recordings"]),
]

// Links only if everything is compiled with -sanitize=fuzzer, as .ci/fuzz does.
if Context.environment["USERD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer", dependencies: ["Fuzzing"], path: "Tests/Fuzzer"))
}

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}
