// swift-tools-version: 6.2

import PackageDescription

/// Released programs have full RELRO.
let released = LinkerSetting.unsafeFlags(
    ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
    .when(configuration: .release))

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let bits = Target.Dependency.product(name: "BitCollections", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCompression = Target.Dependency.product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSOCKS = Target.Dependency.product(name: "NIOSOCKS", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// What tests send much data through is optimized in the debug build too: they would take minutes else.
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
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ])

/// The targets in a folder of Sources. They use each other and those of folders below it: Client and Daemon stand on Protocol
/// and Sync, these on Upstream and Storage, and all on Base.
@MainActor
func folder(_ name: String, _ targets: [Target]) {
    for target in targets { target.path = "Sources/\(name)/\(target.name)" }
    package.targets += targets
}

folder(
    "Base",
    [
        // What Swift's Glibc module leaves out: netlink, timerfd, eventfd and pidfd.
        .systemLibrary(name: "CLinux"),
        // glibc's settings of its allocator, which Swift's Glibc module leaves out.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(name: "BaseDirectories"),
        .target(name: "HAR", dependencies: ["BaseDirectories", "Model", "StrictJSON"]),
        .target(
            name: "Model", dependencies: ["TextSafety"],
            resources: ["large", "medium", "thumbnail"].map { .embedInCode("Portraits/\($0).png") }),
        .target(name: "NearMatch"),
        .target(name: "ProgramSupport", dependencies: [argumentParser]),
        .target(
            name: "Settings",
            dependencies: ["BaseDirectories", "NearMatch", "TextSafety", "YAML", argumentParser, logging]),
        .target(name: "StrictJSON", swiftSettings: optimized),
        .target(name: "TextSafety"),
        .target(name: "Threads", dependencies: ["CLinux"]),
        .target(name: "YAML", dependencies: ["CYAML"]),
    ])
folder(
    "Storage",
    [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(
            name: "Cache",
            dependencies: [
                "BaseDirectories", "Migrations", "Model", "SQLite", "StrictJSON", "Threads", bits,
            ],
            swiftSettings: optimized),
        .target(name: "SQLite", dependencies: ["CMalloc", "CSQLite", "Threads"], swiftSettings: optimized),
        .target(name: "TextFolding", dependencies: ["CUTF8Proc"]),
    ])
package.targets.append(
    .target(
        name: "Migrations", dependencies: ["SQLite"], path: "Migrations",
        resources: [
            "V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves",
            "V0006_directories",
            "V0007_digests", "V0008_records", "V0009_lists", "V0010_waits", "V0011_left_out",
        ].map {
            .embedInCode("\($0).sql")
        }))
folder(
    "Upstream",
    [
        .target(
            name: "DirectoryFormats", dependencies: ["Model", "NearMatch", "Services", "StrictJSON", "YAML"],
            resources: [
                "scim", "graph", "google", "okta", "keycloak", "gitlab", "json", "ldap", "randomuser",
                "catfact",
            ].map {
                .embedInCode("Formats/\($0).yaml")
            }),
        .systemLibrary(name: "CLDAP", providers: [.apt(["libldap-dev"])]),
        .target(
            name: "LDAP",
            dependencies: ["CLDAP", "DirectoryFormats", "Model", "Services", logging]),
        // It uses, beside async-http-client, what that is built on: its options and errors are theirs.
        .target(
            name: "HTTPClient",
            dependencies: [
                "Model", "Services", asyncHTTPClient, nioCore, nioHTTP1, nioCompression, nioPosix, nioSOCKS,
                nioSSL, nioTLS,
            ]),
        .target(
            name: "Services", dependencies: ["HAR", "Model", "StrictJSON", crypto]),
    ])
folder(
    "Sync",
    [
        .target(name: "SyncCore", dependencies: ["Model"]),
        .target(
            name: "SyncEngine", dependencies: ["Cache", "Model", "Services", "SyncCore", deque, logging]),
        .target(name: "SystemEvents", dependencies: ["CLinux", "SyncCore"]),
    ])
folder(
    "Protocol",
    [
        .target(
            name: "ReadMethods", dependencies: ["Cache", "Model", "StrictJSON", "UserdAPI", "Varlink"],
            resources: [.embedInCode("placeholder.png")]),
        .target(
            name: "UserdAPI", dependencies: ["Model", "StrictJSON", "Varlink"],
            resources: [.embedInCode("io.userd.varlink")]),
        .target(
            name: "Varlink", dependencies: ["StrictJSON"],
            resources: [.embedInCode("org.varlink.service.varlink")]),
        .target(
            name: "VarlinkServer",
            dependencies: ["BaseDirectories", "Varlink", deque, logging, nioCore, nioPosix]),
    ])
folder(
    "Daemon",
    [
        .target(
            name: "DaemonMethods",
            dependencies: ["Cache", "Model", "ReadMethods", "Services", "SyncEngine", "UserdAPI", "Varlink"]),
        .target(name: "SystemdNotify", dependencies: ["Model", "TextSafety"]),
        .executableTarget(
            name: "userd",
            dependencies: [
                "BaseDirectories", "CMalloc", "Cache", "DaemonMethods", "DirectoryFormats", "HAR",
                "HTTPClient", "LDAP", "Model", "NearMatch", "ProgramSupport", "Services", "Settings",
                "SyncCore",
                "SyncEngine", "SystemEvents", "SystemdNotify", "TextFolding", "UserdAPI",
                "Varlink",
                "VarlinkServer", argumentParser, logging, unixSignals,
            ], linkerSettings: [released]),
    ])
folder(
    "Client",
    [
        .systemLibrary(
            name: "CPictures", providers: [.apt(["libturbojpeg0-dev", "libpng-dev", "zlib1g-dev"])]),
        .target(
            name: "Browse",
            dependencies: ["CommandSupport", "Model", "TerminalViews", "TextSafety", "UserdAPI", "Varlink"]),
        .target(
            name: "CommandSupport",
            dependencies: [
                "BaseDirectories", "Cache", "Model", "NearMatch", "ProgramSupport", "ReadMethods",
                "StrictJSON", "TerminalViews", "TextSafety", "Threads", "UserdAPI", "Varlink", "YAML",
                argumentParser,
            ]),
        .target(
            name: "Commands",
            dependencies: [
                "BaseDirectories", "Browse", "Cache", "CommandSupport", "Diagnostics", "HAR", "Model",
                "NearMatch", "PictureDecoding", "ReadMethods", "RecordFormats", "StrictJSON", "TerminalViews",
                "TextSafety", "Threads", "UserdAPI", "Varlink", argumentParser,
            ]),
        .target(
            name: "Diagnostics",
            dependencies: [
                "BaseDirectories", "Cache", "CommandSupport", "HAR", "Model", "StrictJSON", "TerminalViews",
                "UserdAPI", "Varlink",
            ]),
        .target(name: "PictureDecoding", dependencies: ["CPictures", "TerminalViews"]),
        .target(
            name: "RecordFormats", dependencies: ["CommandSupport", "Model", "StrictJSON", "TerminalViews"]),
        .target(name: "TerminalViews", dependencies: ["TextSafety"]),
        .executableTarget(
            name: "userctl", dependencies: ["Commands", "ProgramSupport"], linkerSettings: [released]),
        // Only needed where userd is built.
        .executableTarget(name: "userd-manual", dependencies: ["Model", "ProgramSupport", argumentParser]),
    ])

// Tests, what they share, and programs that they run.
package.targets += [
    .target(
        name: "TestSupport", dependencies: ["Varlink", logging, nioCore, nioPosix, nioSSL],
        path: "Tests/TestSupport"),
    .target(name: "MockDaemon", dependencies: ["Model", "UserdAPI", "Varlink"], path: "Tests/MockDaemon"),
    .target(name: "Stubs", dependencies: ["Model", "Services", "TestSupport"], path: "Tests/Stubs"),
    .testTarget(
        name: "ToolTests",
        dependencies: ["DirectoryFormats", "Model", "Services", "StateRecording", "Stubs", "TestSupport"]),
    .target(
        name: "StateRecording",
        dependencies: ["Model", "SyncCore", "SyncEngine", "TestSupport", "UserdAPI", "Varlink"],
        path: "Tests/StateRecording"),
    .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
    .testTarget(
        name: "ServicesTests",
        dependencies: [
            "DemoUpstream", "DirectoryFormats", "HAR", "HTTPClient", "Model", "Services", "StrictJSON",
            "TestSupport", nioCore,
        ]),
    .testTarget(
        name: "DirectoryFormatsTests",
        dependencies: ["DirectoryFormats", "Model", "Services", "StrictJSON", "TestSupport", "YAML"]),
    .testTarget(
        name: "LDAPTests",
        dependencies: [
            "Cache", "DirectoryFormats", "LDAP", "Model", "Services", "TestSupport", "YAML", logging,
        ]),
    .testTarget(name: "HARTests", dependencies: ["HAR", "Model", "StrictJSON", "TestSupport"]),
    .testTarget(name: "SQLiteTests", dependencies: ["CSQLite", "SQLite", "TestSupport"]),
    .testTarget(
        name: "CacheTests",
        dependencies: [
            "CUTF8Proc", "Cache", "Migrations", "Model", "SQLite", "TestSupport", "TextFolding",
        ]),
    .testTarget(name: "SyncCoreTests", dependencies: ["Model", "SyncCore", "TestSupport"]),
    .testTarget(
        name: "SyncEngineTests",
        dependencies: [
            "Cache", "DirectoryFormats", "Model", "Services", "Stubs", "SyncCore", "SyncEngine",
            "TestSupport",
            "TextFolding", logging,
        ]),
    // Prints what it is woken by: it is run in a network of its own.
    .executableTarget(
        name: "wakeups-probe", dependencies: ["SyncCore", "SystemEvents"], path: "Tests/WakeupsProbe"),
    .testTarget(name: "ThreadsTests", dependencies: ["TestSupport", "Threads"]),
    .testTarget(
        name: "SystemEventsTests",
        dependencies: ["CLinux", "SyncCore", "SystemEvents", "TestSupport", "wakeups-probe"]),
    // A layer under SQLite in which one call goes wrong.
    .target(name: "CFaultVFS", path: "Tests/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .testTarget(
        name: "SimulatorTests",
        dependencies: [
            "CFaultVFS", "Cache", "Model", "SQLite", "Services", "SyncCore", "SyncEngine", "TestSupport",
            "TextFolding",
            logging,
        ]),
    .testTarget(
        name: "FailureTests",
        dependencies: [
            "Cache", "DemoUpstream", "DirectoryFormats", "HTTPClient", "Model", "Services", "SyncCore",
            "SyncEngine",
            "TestSupport", "TextFolding", logging,
        ]),
    .target(name: "VarlinkFixtures", dependencies: ["StrictJSON", "Varlink"], path: "Tests/VarlinkFixtures"),
    .target(
        name: "Fuzzing", dependencies: ["StrictJSON", "Varlink", "VarlinkFixtures"], path: "Tests/Fuzzing",
        exclude: ["Corpus"]),
    .testTarget(
        name: "VarlinkTests",
        dependencies: ["Fuzzing", "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures"],
        exclude: ["Released"]),
    .testTarget(
        name: "VarlinkServerTests",
        dependencies: [
            "StrictJSON", "TestSupport", "Varlink", "VarlinkFixtures", "VarlinkServer", logging, nioCore,
            nioPosix,
        ]),
    .testTarget(
        name: "UserdTests",
        dependencies: [
            "Cache", "DaemonMethods", "MockDaemon", "Model", "ReadMethods", "Services", "StateRecording",
            "StrictJSON", "Stubs", "SyncCore", "SyncEngine", "TestSupport", "TextFolding", "UserdAPI",
            "Varlink", "VarlinkServer", logging,
        ]),
    .testTarget(name: "YAMLTests", dependencies: ["YAML"]),
    .testTarget(
        name: "SettingsTests", dependencies: ["Settings", "TestSupport", "YAML", argumentParser, logging]),
    .testTarget(name: "SystemdNotifyTests", dependencies: ["Model", "SystemdNotify", "TestSupport"]),
    .testTarget(
        name: "UserctlTests",
        dependencies: [
            "Browse", "Cache", "CommandSupport", "Commands", "Diagnostics", "HAR", "MockDaemon", "Model",
            "RecordFormats", "StrictJSON", "TerminalViews", "TestSupport", "TextSafety", "UserdAPI",
            "Varlink", "YAML",
            argumentParser,
        ], exclude: ["Shells"]),
    .testTarget(name: "TerminalViewsTests", dependencies: ["TerminalViews", "TestSupport", "TextSafety"]),
    .testTarget(
        name: "PictureDecodingTests", dependencies: ["PictureDecoding", "TerminalViews", "TestSupport"]),
    // An upstream for tests and demonstrations, as a program too.
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
    // The interface that Varlink's own clients test a service with.
    .executableTarget(
        name: "varlink-certification",
        dependencies: ["StrictJSON", "Varlink", "VarlinkServer", argumentParser, logging, unixSignals],
        path: "Tests/Certification", resources: [.embedInCode("org.varlink.certification.varlink")]),
    // Without programs of other languages, which are run from where they are, and what tests read there.
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "Cache", "CommandSupport", "Commands", "DemoUpstream", "Migrations", "Model", "SQLite",
            "StateRecording", "StrictJSON", "TestSupport", "Threads", "UserdAPI", "Varlink",
        ], exclude: ["Clients", "Recordings"]),
]

// It links only where everything is compiled with -sanitize=fuzzer, as .ci/fuzz does.
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
