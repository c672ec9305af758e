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
        // Headers that Swift's Glibc module lacks: netlink, timerfd, eventfd and pidfd.
        .systemLibrary(name: "CLinux"),
        // glibc's allocator settings, which Swift's Glibc module lacks.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(name: "Model", dependencies: ["MessageText"]),
        .target(name: "Platform", dependencies: ["CLinux"]),
        .target(name: "ProgramSupport", dependencies: ["Platform", argumentParser]),
        .target(name: "StrictJSON", swiftSettings: optimized),
        .target(name: "MessageText", swiftSettings: optimized),
        .target(name: "YAML", dependencies: ["CYAML", "Platform"]),
    ])
folder(
    "Storage",
    [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(
            name: "Cache",
            dependencies: [
                "MessageText", "Migrations", "Model", "Platform", "SQLite", "StrictJSON", "TextFolding", bits,
            ],
            swiftSettings: optimized),
        .target(
            name: "SQLite", dependencies: ["CMalloc", "CSQLite", "Platform"],
            swiftSettings: optimized),
        .target(name: "TextFolding", dependencies: ["CUTF8Proc"], swiftSettings: optimized),
    ])
package.targets.append(
    .target(
        name: "Migrations", dependencies: ["SQLite"], path: "Migrations",
        resources: [
            "V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves",
            "V0006_directories", "V0007_digests", "V0008_records", "V0009_lists", "V0010_waits",
            "V0011_left_out", "V0012_finding", "V0013_whole",
        ].map {
            .embedInCode("\($0).sql")
        }))
folder(
    "Upstream",
    [
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLDAP", providers: [.apt(["libldap-dev"])]),
        .target(
            name: "DirectoryFormats",
            dependencies: ["CCrypto", "HTTP", "MessageText", "Model", "Recordings", "StrictJSON", "YAML"],
            resources: [
                "scim", "graph", "google", "google-people", "okta", "keycloak", "gitlab", "userd", "json",
                "ldap", "randomuser", "catfact",
            ].map {
                .embedInCode("Formats/\($0).yaml")
            }),
        // resolver(3), which Swift's Glibc module lacks.
        .systemLibrary(name: "CResolver"),
        .target(
            name: "Discovery",
            dependencies: ["CResolver", "DirectoryFormats", "HTTP", "Model", "Platform", "StrictJSON"]),
        .target(name: "HTTP", dependencies: ["Model", "StrictJSON"]),
        // Uses async-http-client and the packages that it is built on, since its options and errors are theirs.
        .target(
            name: "HTTPClient",
            dependencies: [
                "HTTP", "Model", "Platform", "Recordings", asyncHTTPClient, nioCore, nioHTTP1,
                nioCompression, nioPosix, nioSOCKS, nioSSL, nioTLS,
            ]),
        .target(
            name: "LDAP",
            dependencies: [
                "CLDAP", "DirectoryFormats", "HTTP", "Model", "Platform", "Services", "StrictJSON", logging,
            ]),
        .target(name: "Recordings", dependencies: ["HTTP", "Model", "Platform", "StrictJSON"]),
        // The redirect of a browser is the only thing that an upstream's module serves.
        .target(
            name: "SignIn",
            dependencies: [
                "CCrypto", "HTTP", "Model", "Platform", "Recordings", "StrictJSON", nioCore, nioHTTP1,
                nioPosix,
            ]),
        .target(
            name: "Services",
            dependencies: ["DirectoryFormats", "HTTP", "Model", "Recordings", "StrictJSON"],
            resources: ["large", "medium", "thumbnail"].map { .embedInCode("Portraits/\($0).png") }),
    ])
folder(
    "Sync",
    [
        .target(name: "SyncCore", dependencies: ["Model"]),
        .target(
            name: "SyncEngine",
            dependencies: [
                "Cache", "DirectoryFormats", "HTTP", "Model", "Services", "SyncCore", deque, logging,
            ]),
        .target(name: "SystemEvents", dependencies: ["CLinux", "SyncCore"]),
    ])
folder(
    "Protocol",
    [
        // RFC 6352 by hand: no library that can be had serves it.
        .target(
            name: "CardDAV",
            dependencies: [
                "CExpat", "Model", "Platform", "StrictJSON", "UserRecords", "UserdAPI", "Varlink", logging,
                nioCore,
                nioHTTP1, nioPosix,
            ], swiftSettings: optimized),
        .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
        .target(
            name: "UserRecords", dependencies: ["MessageText", "Model", "StrictJSON"],
            swiftSettings: optimized),
        .target(
            name: "UserdAPI", dependencies: ["Cache", "Model", "StrictJSON", "Varlink"],
            resources: [.embedInCode("io.userd.varlink"), .embedInCode("placeholder.png")]),
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
            name: "DaemonMethods",
            dependencies: ["Cache", "Model", "SyncEngine", "UserdAPI", "Varlink"]),
        .target(
            name: "Settings",
            dependencies: [
                "HTTP", "MessageText", "Model", "Platform", "Recordings", "YAML", argumentParser, logging,
            ]),
        .target(name: "SystemdNotify", dependencies: ["MessageText", "Model"]),
        .executableTarget(
            name: "userd",
            dependencies: [
                "CMalloc", "Cache", "CardDAV", "DaemonMethods", "DirectoryFormats", "Discovery", "HTTP",
                "HTTPClient",
                "LDAP",
                "MessageText", "Model", "Platform", "ProgramSupport", "Recordings", "Services", "Settings",
                "SignIn", "SyncCore", "SyncEngine", "SystemEvents", "SystemdNotify", "TextFolding",
                "UserdAPI",
                "Varlink", "VarlinkServer", argumentParser, logging, unixSignals,
            ], linkerSettings: [released]),
    ])
folder(
    "Client",
    [
        .systemLibrary(
            name: "CPictures", providers: [.apt(["libturbojpeg0-dev", "libpng-dev", "zlib1g-dev"])]),
        .target(
            name: "Browse",
            dependencies: ["CommandSupport", "MessageText", "Model", "TerminalViews", "UserdAPI", "Varlink"]),
        .target(
            name: "CommandSupport",
            dependencies: [
                "Cache", "MessageText", "Model", "Platform", "StrictJSON", "TerminalViews", "TextFolding",
                "UserRecords", "UserdAPI", "Varlink", "YAML", argumentParser,
            ]),
        .target(
            name: "Commands",
            dependencies: [
                "Browse", "Cache", "CommandSupport", "Diagnostics", "MessageText", "Model", "PictureDecoding",
                "Platform", "Recordings", "StrictJSON", "TerminalViews", "UserRecords", "UserdAPI", "Varlink",
                "YAML", argumentParser,
            ]),
        .target(
            name: "Diagnostics",
            dependencies: [
                "Cache", "CommandSupport", "Model", "Platform", "Recordings", "StrictJSON", "TerminalViews",
                "UserdAPI", "Varlink", "YAML",
            ],
            resources: [.embedInCode("Report/Words.txt")]),
        .target(name: "PictureDecoding", dependencies: ["CPictures", "TerminalViews"]),
        .target(name: "TerminalViews", dependencies: ["MessageText"]),
        .executableTarget(
            name: "userctl", dependencies: ["Commands", "ProgramSupport"], linkerSettings: [released]),
        // Needed only to build userd.
        .executableTarget(name: "userd-manual", dependencies: ["Model", "ProgramSupport", argumentParser]),
    ])

// Tests, their shared code, and programs that they run.
package.targets += [
    .target(
        name: "TestSupport", dependencies: ["Varlink", logging, nioCore, nioPosix, nioSSL],
        path: "Tests/TestSupport"),
    .target(
        name: "MockDaemon", dependencies: ["Model", "Services", "UserdAPI", "Varlink"],
        path: "Tests/MockDaemon"),
    .target(
        name: "Stubs",
        dependencies: ["DirectoryFormats", "HTTP", "Model", "Services", "TestSupport"],
        path: "Tests/Stubs"),
    .testTarget(
        name: "ToolTests",
        dependencies: [
            "DirectoryFormats", "HTTP", "Model", "Services", "StateRecording", "Stubs", "TestSupport",
        ]),
    .target(
        name: "StateRecording",
        dependencies: ["Model", "SyncCore", "SyncEngine", "TestSupport", "UserdAPI", "Varlink"],
        path: "Tests/StateRecording"),
    .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
    .testTarget(
        name: "ServicesTests",
        dependencies: [
            "DemoUpstream", "DirectoryFormats", "HTTP", "HTTPClient", "Model", "Recordings", "Services",
            "SignIn", "StrictJSON", "TestSupport", nioCore,
        ]),
    .testTarget(
        name: "SignInTests",
        dependencies: [
            "CCrypto", "HTTP", "HTTPClient", "Model", "Platform", "SignIn", "StrictJSON", "TestSupport",
        ]),
    .testTarget(
        name: "DiscoveryTests",
        dependencies: ["DirectoryFormats", "Discovery", "HTTP", "Model", "TestSupport"]),
    .testTarget(
        name: "DirectoryFormatsTests",
        dependencies: [
            "DirectoryFormats", "HTTP", "LDAP", "Model", "Services", "StrictJSON", "TestSupport", "YAML",
        ]),
    .testTarget(
        name: "LDAPTests",
        dependencies: [
            "CommandSupport", "Diagnostics", "DirectoryFormats", "HTTP", "LDAP", "Model", "Services",
            "Settings",
            "StrictJSON", "TestSupport", "UserdAPI", "YAML", logging, nioSSL,
        ]),
    .testTarget(
        name: "RecordingsTests", dependencies: ["HTTP", "Model", "Recordings", "StrictJSON", "TestSupport"]),
    .testTarget(name: "SQLiteTests", dependencies: ["CSQLite", "SQLite", "TestSupport"]),
    .testTarget(
        name: "CacheTests",
        dependencies: [
            "CUTF8Proc", "Cache", "Migrations", "Model", "Platform", "SQLite", "TestSupport", "TextFolding",
        ]),
    .testTarget(name: "SyncCoreTests", dependencies: ["Model", "SyncCore", "TestSupport"]),
    .testTarget(
        name: "SyncEngineTests",
        dependencies: [
            "Cache", "DaemonMethods", "DirectoryFormats", "HTTP", "Model", "Services", "Stubs", "SyncCore",
            "SyncEngine", "TestSupport", "TextFolding", logging,
        ]),
    // Prints the kernel's events, in a network of its own.
    .executableTarget(
        name: "wakeups-probe", dependencies: ["SyncCore", "SystemEvents"], path: "Tests/WakeupsProbe"),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"]),
    .testTarget(
        name: "SystemEventsTests",
        dependencies: ["CLinux", "SyncCore", "SystemEvents", "TestSupport", "wakeups-probe"]),
    // A layer under SQLite in which one call fails.
    .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
        name: "SimulatorTests",
        dependencies: [
            "CFaultVFS", "Cache", "DirectoryFormats", "Model", "SQLite", "Services", "SyncCore", "SyncEngine",
            "TestSupport", "TextFolding", logging,
        ]),
    .testTarget(
        name: "FailureTests",
        dependencies: [
            "Cache", "DaemonMethods", "DemoUpstream", "DirectoryFormats", "HTTP", "HTTPClient", "Model",
            "Services", "SyncCore", "SyncEngine", "TestSupport", "TextFolding", logging,
        ]),
    .target(name: "VarlinkFixtures", dependencies: ["StrictJSON", "Varlink"], path: "Tests/VarlinkFixtures"),
    .target(
        name: "Fuzzing",
        dependencies: ["Discovery", "HTTP", "Model", "StrictJSON", "Varlink", "VarlinkFixtures"],
        path: "Tests/Fuzzing", exclude: ["Corpus", "upstream.dict"]),
    .testTarget(
        name: "VarlinkTests",
        dependencies: ["Fuzzing", "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures"],
        exclude: ["Released"]),
    .testTarget(
        name: "CardDAVTests",
        dependencies: ["Cache", "CardDAV", "Model", "TestSupport", "UserdAPI", nioCore, nioEmbedded]),
    .testTarget(
        name: "VarlinkServerTests",
        dependencies: [
            "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures", "VarlinkServer", logging, nioCore,
            nioPosix,
        ]),
    .testTarget(
        name: "UserdTests",
        dependencies: [
            "Cache", "DaemonMethods", "DirectoryFormats", "HTTP", "MockDaemon", "Model", "Services",
            "StateRecording", "StrictJSON", "Stubs", "SyncCore", "SyncEngine", "TestSupport", "TextFolding",
            "UserdAPI", "Varlink", "VarlinkServer", logging,
        ]),
    .testTarget(name: "YAMLTests", dependencies: ["TestSupport", "YAML"]),
    .testTarget(
        name: "SettingsTests",
        dependencies: ["Model", "Platform", "Settings", "TestSupport", "YAML", argumentParser, logging]),
    .testTarget(name: "SystemdNotifyTests", dependencies: ["Model", "SystemdNotify", "TestSupport"]),
    .testTarget(
        name: "UserctlTests",
        dependencies: [
            "Browse", "Cache", "CommandSupport", "Commands", "Diagnostics", "DirectoryFormats", "HTTP",
            "MessageText", "MockDaemon", "Model", "Recordings", "Services", "StrictJSON", "TerminalViews",
            "TestSupport", "UserRecords", "UserdAPI", "Varlink", "YAML", argumentParser,
        ], exclude: ["Shells"]),
    .testTarget(
        name: "TerminalViewsTests", dependencies: ["MessageText", "TerminalViews", "TestSupport"]),
    .testTarget(
        name: "PictureDecodingTests", dependencies: ["PictureDecoding", "TerminalViews", "TestSupport"]),
    // An upstream for tests and demonstrations, also as a program.
    .systemLibrary(name: "CZlib", path: "Tests/CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
        name: "DemoUpstream", dependencies: ["CPictures", "CZlib", nioCore, nioHTTP1, nioPosix],
        path: "Tests/DemoUpstream",
        resources: ["facts", "lists", "people", "words"].map { .embedInCode("Data/\($0).txt") },
        swiftSettings: optimized),
    .executableTarget(
        name: "userd-demo-upstream", dependencies: ["DemoUpstream", "ProgramSupport", argumentParser],
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
            "Cache", "CommandSupport", "Commands", "DemoUpstream", "Diagnostics", "Migrations", "Model",
            "Platform", "SQLite", "Services", "StateRecording", "StrictJSON", "TestSupport", "UserdAPI",
            "Varlink",
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
