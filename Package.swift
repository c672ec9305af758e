// swift-tools-version: 6.2

import PackageDescription

// How released programs are linked.
let released = LinkerSetting.unsafeFlags(
    [
        // The runtimes of C++ and of its compiler, which Swift's is written in, and zlib, as parts of the program: see the
        // files in that folder. It needs nothing but SQLite and libc where it is installed.
        "-use-ld=lld", "-L\(Context.packageDirectory)/Sources/Linking", "-Xclang-linker", "-static-libgcc",
        // Full RELRO.
        "-Xlinker", "-z", "-Xlinker", "now",
        // 1.0 MiB less of addresses that a start has to move, and 0.5 MiB less of names that nobody looks up.
        "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
    ],
    .when(configuration: .release))

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

/// What tests send much data through is optimized in the debug build too: they would take minutes else.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// A fifth smaller, and as fast: what takes time is done elsewhere.
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let package = Package(
    name: "userd",
    products: [
        .executable(name: "userd", targets: ["userd"]),
        .executable(name: "userctl", targets: ["userctl"]),
        .executable(name: "userd-demo-upstream", targets: ["userd-demo-upstream"]),
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
    ],
    targets: [
        // Values
        .target(
            name: "Model",
            resources: ["large", "medium", "thumbnail"].map { .embedInCode("Portraits/\($0).png") }),
        .target(name: "StrictJSON", swiftSettings: optimized),

        .target(name: "HAR", dependencies: ["Model", "StrictJSON"]),

        // Upstream
        .target(
            name: "Services",
            dependencies: ["HAR", "Model", "StrictJSON", .product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "HTTPClient",
            dependencies: [
                "Model", "Services", nioCore, nioHTTP1, nioPosix, nioTLS,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                // What async-http-client is built on: its options for compression and TLS, and its errors, are theirs.
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                nioSSL,
            ]),

        // Cache
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: optimized),
        .target(
            name: "Migrations",
            dependencies: ["SQLite"],
            path: "Migrations",
            resources: ["V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves"].map {
                .embedInCode("\($0).sql")
            }),
        .target(
            name: "Cache", dependencies: ["BaseDirectories", "Model", "SQLite", "Migrations"],
            swiftSettings: optimized),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "TextFolding", dependencies: ["CUTF8Proc"]),

        // Engine
        .target(name: "SyncCore", dependencies: ["Model"]),
        .target(
            name: "SyncEngine",
            dependencies: [
                "Model", "SyncCore", "Services", "Cache", logging,
                deque,
            ]),

        // What Swift's Glibc module leaves out: netlink, timerfd, eventfd and pidfd.
        .systemLibrary(name: "CLinux"),
        .target(name: "SystemEvents", dependencies: ["CLinux", "SyncCore"]),

        // Protocol
        .target(
            name: "Varlink",
            dependencies: ["StrictJSON"],
            resources: [.embedInCode("org.varlink.service.varlink")]),
        .target(
            name: "VarlinkServer",
            dependencies: ["CLinux", "Varlink", deque, nioCore, nioPosix, logging]),
        .target(
            name: "UserdAPI",
            dependencies: ["Model", "StrictJSON", "Varlink"],
            resources: [.embedInCode("io.userd.varlink")]),
        .target(
            name: "ReadMethods",
            dependencies: ["Model", "Cache", "UserdAPI", "Varlink"],
            resources: [.embedInCode("placeholder.png")]),
        .target(
            name: "DaemonMethods",
            dependencies: ["Services", "Model", "Cache", "SyncEngine", "UserdAPI", "ReadMethods", "Varlink"]),

        // Programs
        .target(name: "BaseDirectories"),
        .target(name: "ProgramSupport", dependencies: [argumentParser]),
        .target(name: "NearMatch"),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(name: "YAML", dependencies: ["CYAML"]),
        .target(
            name: "Settings",
            dependencies: [
                "BaseDirectories", "NearMatch", "TextSafety", "YAML", argumentParser, logging,
            ]),
        .target(name: "TextSafety"),
        .target(name: "TerminalViews", dependencies: ["TextSafety"]),
        .target(name: "SystemdNotify", dependencies: ["Model", "TextSafety"]),
        .systemLibrary(
            name: "CPictures", providers: [.apt(["libturbojpeg0-dev", "libpng-dev", "zlib1g-dev"])]),
        .target(
            name: "PictureDecoding",
            dependencies: ["CPictures", "TerminalViews"]),
        // glibc's settings of its allocator, which Swift's Glibc module leaves out.
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "userd",
            dependencies: [
                "BaseDirectories", "CMalloc", "HAR",
                "Model", "HTTPClient", "Services", "Cache", "TextFolding", "SyncCore", "SyncEngine",
                "UserdAPI", "ReadMethods", "DaemonMethods", "Varlink", "VarlinkServer", "SystemEvents",
                "ProgramSupport", "SystemdNotify", "Settings", argumentParser, logging, serviceLifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            linkerSettings: [released]),
        .target(
            name: "CommandSupport",
            dependencies: [
                "NearMatch", "ProgramSupport", "BaseDirectories", "Cache", "Model", "ReadMethods",
                "StrictJSON", "TerminalViews",
                "TextSafety",
                "UserdAPI", "Varlink",
            ],
            swiftSettings: small),
        .target(
            name: "Browse",
            dependencies: [
                "CommandSupport", "Model", "TerminalViews", "TextSafety", "UserdAPI", "Varlink",
            ],
            swiftSettings: small),
        .target(
            name: "Diagnostics",
            dependencies: [
                "BaseDirectories", "Cache", "CommandSupport", "HAR", "Model", "StrictJSON", "TerminalViews",
                "UserdAPI",
                "Varlink",
            ],
            swiftSettings: small),
        .target(
            name: "Commands",
            dependencies: [
                "BaseDirectories", "Browse", "Cache", "CommandSupport", "Diagnostics", "HAR", "Model",
                "NearMatch",
                "PictureDecoding", "ReadMethods", "StrictJSON", "TerminalViews",
                "TextSafety",
                "UserdAPI", "Varlink", argumentParser,
            ],
            swiftSettings: small),
        .executableTarget(
            name: "userctl", dependencies: ["Commands", "ProgramSupport"],
            linkerSettings: [released]),
        // Only needed where userd is built.
        .executableTarget(
            name: "userd-manual", dependencies: ["Model", "ProgramSupport", argumentParser]),
        .target(
            name: "DemoUpstream",
            dependencies: [nioCore, nioPosix, nioHTTP1],
            swiftSettings: optimized),
        .executableTarget(
            name: "userd-demo-upstream",
            dependencies: ["DemoUpstream", "ProgramSupport", argumentParser]),

        // Tests
        .target(
            name: "TestSupport",
            dependencies: ["Varlink", nioCore, nioPosix, nioSSL, logging],
            path: "Tests/TestSupport"),
        .target(
            name: "MockDaemon", dependencies: ["Model", "UserdAPI", "Varlink"], path: "Tests/MockDaemon"),
        .target(
            name: "Stubs", dependencies: ["Model", "Services", "TestSupport"], path: "Tests/Stubs"),
        .testTarget(
            name: "ToolTests", dependencies: ["Model", "Services", "StateRecording", "Stubs", "TestSupport"]),
        .target(
            name: "StateRecording",
            dependencies: ["Model", "SyncCore", "SyncEngine", "TestSupport", "UserdAPI", "Varlink"],
            path: "Tests/StateRecording"),
        .testTarget(
            name: "ModelTests",
            dependencies: ["Model", "TestSupport"]),
        .testTarget(
            name: "StrictJSONTests",
            dependencies: ["StrictJSON"]),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "HAR", "Model", "HTTPClient", "Services", "DemoUpstream", "TestSupport",
                nioCore,
            ]),
        .testTarget(
            name: "HARTests", dependencies: ["HAR", "Model", "StrictJSON", "TestSupport"]),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["SQLite", "CSQLite", "TestSupport"]),
        .testTarget(
            name: "CacheTests",
            dependencies: ["Model", "Cache", "SQLite", "Migrations", "TextFolding", "TestSupport"]),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: ["Model", "SyncCore", "TestSupport"]),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "TextFolding", "Stubs", "TestSupport",
                logging,
            ]),
        // Prints what it is woken by: it is run in a network of its own.
        .executableTarget(
            name: "wakeups-probe", dependencies: ["SyncCore", "SystemEvents"], path: "Tests/WakeupsProbe"),
        .testTarget(
            name: "SystemEventsTests",
            dependencies: ["CLinux", "SyncCore", "SystemEvents", "wakeups-probe", "TestSupport"]),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "TextFolding", "SQLite",
                "TestSupport",
                logging,
            ]),
        .testTarget(
            name: "FailureTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "HTTPClient", "Services", "Cache", "TextFolding",
                "DemoUpstream", "TestSupport", logging,
            ]),
        .target(
            name: "VarlinkFixtures",
            dependencies: ["StrictJSON", "Varlink"],
            path: "Tests/VarlinkFixtures"),
        .target(
            name: "Fuzzing",
            dependencies: ["StrictJSON", "Varlink", "VarlinkFixtures"],
            path: "Tests/Fuzzing",
            exclude: ["Corpus"]),
        .testTarget(
            name: "VarlinkTests",
            dependencies: ["StrictJSON", "Varlink", "VarlinkFixtures", "Fuzzing", "TestSupport"]),
        .testTarget(
            name: "VarlinkServerTests",
            dependencies: [
                "Varlink", "VarlinkServer", "VarlinkFixtures", "TestSupport", logging, nioCore, nioPosix,
            ]),
        .testTarget(
            name: "UserdTests",
            dependencies: [
                "Model", "Varlink", "VarlinkServer", "UserdAPI", "ReadMethods", "DaemonMethods", "Services",
                "Cache", "TextFolding", "MockDaemon", "StrictJSON", "StateRecording", "Stubs", "SyncCore",
                "SyncEngine",
                "TestSupport", logging,
            ]),
        .testTarget(name: "YAMLTests", dependencies: ["YAML"]),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["Settings", "TestSupport", argumentParser, logging]),
        .testTarget(
            name: "SystemdNotifyTests",
            dependencies: ["Model", "SystemdNotify", "TestSupport"]),
        .testTarget(
            name: "UserctlTests",
            dependencies: [
                "Browse", "CommandSupport", "Commands", "Diagnostics", "HAR", "Model",
                "Cache",
                "MockDaemon", "StrictJSON", "UserdAPI",
                "Varlink",
                "TerminalViews", "TextSafety", "TestSupport", argumentParser,
            ],
            exclude: ["Shells"]),
        .testTarget(
            name: "TerminalViewsTests",
            dependencies: ["TerminalViews", "TestSupport", "TextSafety"]),
        .testTarget(
            name: "PictureDecodingTests",
            dependencies: ["PictureDecoding", "TerminalViews", "TestSupport"]),
        .testTarget(
            name: "DemoUpstreamTests",
            dependencies: ["DemoUpstream", "userd-demo-upstream", "TestSupport"]),
        // The interface that Varlink's own clients test a service with.
        .executableTarget(
            name: "varlink-certification",
            dependencies: [
                "StrictJSON", "Varlink", "VarlinkServer", argumentParser, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/Certification",
            resources: [.embedInCode("org.varlink.certification.varlink")]),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "Model", "Cache", "Migrations", "SQLite", "StrictJSON", "StateRecording", "UserdAPI",
                "CommandSupport", "Commands", "Varlink",
                "DemoUpstream", "TestSupport",
            ],
            // Programs of other languages, which are run from where they are, and what tests read there.
            exclude: ["Clients", "Recordings"]),
    ]
)

// It links only where everything is compiled with -sanitize=fuzzer, as .ci/fuzz does.
if Context.environment["USERD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer", dependencies: ["Fuzzing"], path: "Tests/Fuzzer"))
}

/// The folders of Sources, and the targets in each. A folder uses those below it, and none beside or above it.
let folders = [
    "Client": [
        "Browse", "CPictures", "CommandSupport", "Commands", "Diagnostics", "PictureDecoding",
        "TerminalViews",
        "userctl", "userd-manual",
    ],
    "Daemon": ["DaemonMethods", "SystemdNotify", "userd"],
    "Protocol": ["ReadMethods", "UserdAPI", "Varlink", "VarlinkServer"],
    "Sync": ["SyncCore", "SyncEngine", "SystemEvents"],
    "Upstream": ["DemoUpstream", "HTTPClient", "Services", "userd-demo-upstream"],
    "Storage": ["CSQLite", "CUTF8Proc", "Cache", "TextFolding", "SQLite"],
    "Base": [
        "BaseDirectories", "CLinux", "CMalloc", "CYAML", "HAR", "Model", "NearMatch", "ProgramSupport",
        "Settings",
        "StrictJSON", "TextSafety", "YAML",
    ],
]
for (folder, names) in folders {
    for target in package.targets where names.contains(target.name) {
        target.path = "Sources/\(folder)/\(target.name)"
    }
}

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}
