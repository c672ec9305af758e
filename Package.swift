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
        // Every byte from upstream goes through here: unoptimized, the tests with 100,000 users would take minutes.
        .target(
            name: "StrictJSON",
            swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // Upstream
        .target(
            name: "Services",
            dependencies: ["Model", "StrictJSON", .product(name: "Crypto", package: "swift-crypto")]),
        .target(
            name: "ServicesLive",
            dependencies: [
                "Model", "Services", nioCore, nioHTTP1, nioPosix, nioTLS,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                // What async-http-client is built on: its options for compression and TLS, and its errors, are theirs.
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                nioSSL,
            ]),

        // Cache
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(
            name: "Migrations",
            dependencies: ["SQLite"],
            path: "Migrations",
            resources: ["V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves"].map {
                .embedInCode("\($0).sql")
            }),
        .target(
            name: "Cache", dependencies: ["BaseDirectories", "Model", "SQLite", "Migrations"]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "Collation", dependencies: ["CUTF8Proc"]),

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
        .target(name: "Wakeups", dependencies: ["CLinux", "SyncCore"]),

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
            name: "UserdReads",
            dependencies: ["Model", "Cache", "UserdAPI", "Varlink"],
            resources: [.embedInCode("placeholder.png")]),
        .target(
            name: "UserdService",
            dependencies: ["Model", "Cache", "SyncEngine", "UserdAPI", "UserdReads", "Varlink"]),

        // Programs
        .target(name: "BaseDirectories"),
        .target(name: "ProgramStart", dependencies: [argumentParser]),
        .target(name: "NearMatch"),
        .systemLibrary(name: "CYAML", providers: [.apt(["libyaml-dev"])]),
        .target(name: "YAML", dependencies: ["CYAML"]),
        .target(
            name: "Settings",
            dependencies: [
                "BaseDirectories", "NearMatch", "YAML", argumentParser, logging,
            ]),
        .target(name: "TerminalViews"),
        .target(name: "ServiceManager", dependencies: ["Model", "TerminalViews"]),
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
                "BaseDirectories", "CMalloc",
                "Model", "Services", "ServicesLive", "Cache", "Collation", "SyncCore", "SyncEngine",
                "UserdAPI", "UserdReads", "UserdService", "Varlink", "VarlinkServer", "Wakeups",
                "ProgramStart", "ServiceManager", "Settings", argumentParser, logging, serviceLifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            linkerSettings: [released]),
        .target(
            name: "UserctlKit",
            dependencies: [
                "BaseDirectories", "Model", "Cache", "NearMatch", "PictureDecoding", "ProgramStart",
                "StrictJSON",
                "UserdAPI", "UserdReads", "Varlink", "TerminalViews", argumentParser,
            ],
            // A fifth smaller, and as fast: its work is done elsewhere.
            swiftSettings: [.unsafeFlags(["-Osize"], .when(configuration: .release))]),
        .executableTarget(
            name: "userctl", dependencies: ["ProgramStart", "UserctlKit"],
            linkerSettings: [released]),
        // Only needed where userd is built.
        .executableTarget(
            name: "userd-manual", dependencies: ["Model", "ProgramStart", argumentParser]),
        .target(
            name: "DemoUpstream",
            dependencies: [nioCore, nioPosix, nioHTTP1]),
        .executableTarget(
            name: "userd-demo-upstream",
            dependencies: ["DemoUpstream", "ProgramStart", argumentParser]),

        // Tests
        .target(
            name: "TestSupport",
            dependencies: ["Varlink", nioCore, nioPosix, nioSSL, logging],
            path: "Tests/TestSupport"),
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
            dependencies: ["Model"]),
        .testTarget(
            name: "StrictJSONTests",
            dependencies: ["StrictJSON"]),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "Model", "Services", "ServicesLive", "StrictJSON", "DemoUpstream", "TestSupport", nioCore,
            ]),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["SQLite", "CSQLite", "TestSupport"]),
        .testTarget(
            name: "CacheTests",
            dependencies: ["Model", "Cache", "SQLite", "Migrations", "Collation", "TestSupport"]),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: ["Model", "SyncCore"]),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "Collation", "Stubs", "TestSupport",
                logging,
            ]),
        // Prints what it is woken by: it is run in a network of its own.
        .executableTarget(
            name: "wakeups-probe", dependencies: ["SyncCore", "Wakeups"], path: "Tests/WakeupsProbe"),
        .testTarget(
            name: "WakeupsTests",
            dependencies: ["CLinux", "SyncCore", "Wakeups", "wakeups-probe", "TestSupport"]),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "Collation", "SQLite", "TestSupport",
                logging,
            ]),
        .testTarget(
            name: "FailureTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "ServicesLive", "Cache", "Collation",
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
                "Model", "Varlink", "VarlinkServer", "UserdAPI", "UserdReads", "UserdService", "Services",
                "Cache", "Collation", "StrictJSON", "StateRecording", "Stubs", "SyncCore", "SyncEngine",
                "TestSupport", logging,
            ]),
        .testTarget(name: "YAMLTests", dependencies: ["YAML"]),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["Settings", "TestSupport", argumentParser, logging]),
        .testTarget(
            name: "ServiceManagerTests",
            dependencies: ["Model", "ServiceManager", "TestSupport"]),
        .testTarget(
            name: "UserctlTests",
            dependencies: [
                "UserctlKit", "BaseDirectories", "Model", "Cache", "StrictJSON", "UserdAPI", "Varlink",
                "TerminalViews", "TestSupport", argumentParser,
            ],
            exclude: ["Shells"]),
        .testTarget(
            name: "TerminalViewsTests",
            dependencies: ["TerminalViews"]),
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
                "UserctlKit", "Varlink",
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

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}
