// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
    // Generic types are made by calls that the compiler has checked, and not from names: resolving those searches all
    // protocol conformances of the program, which is most of what a short command of userctl would do.
    .unsafeFlags(
        ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
        .when(configuration: .release)),
]

// The runtimes of C++ and of its compiler, which Swift's is written in, and zlib, as parts of the program: see the files in
// that folder. A released program needs nothing but SQLite and libc where it is installed.
let linkedIn = LinkerSetting.unsafeFlags(
    [
        "-use-ld=lld", "-L\(Context.packageDirectory)/Sources/Linking", "-Xclang-linker", "-static-libgcc",
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
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Values
        .target(name: "Model", swiftSettings: settings),
        // Every byte from upstream goes through here: unoptimized, the tests with 100,000 users would take minutes.
        .target(
            name: "StrictJSON",
            swiftSettings: settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // Upstream
        .target(
            name: "Services",
            dependencies: ["Model", "StrictJSON", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(
            name: "ServicesLive",
            dependencies: [
                "Model", "Services", nioCore, nioHTTP1, nioPosix, nioTLS,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                // What async-http-client is built on: its options for compression and TLS, and its errors, are theirs.
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                nioSSL,
            ],
            swiftSettings: settings),

        // Cache
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: settings),
        .target(
            name: "Migrations",
            dependencies: ["SQLite"],
            path: "Migrations",
            resources: ["V0001_cache", "V0002_pages", "V0003_pictures", "V0004_paused", "V0005_moves"].map {
                .embedInCode("\($0).sql")
            },
            swiftSettings: settings),
        .target(
            name: "Cache", dependencies: ["BaseDirectories", "Model", "SQLite", "Migrations"],
            swiftSettings: settings),
        .target(name: "Collation", swiftSettings: settings),

        // Engine
        .target(name: "SyncCore", dependencies: ["Model"], swiftSettings: settings),
        .target(
            name: "SyncEngine",
            dependencies: [
                "Model", "SyncCore", "Services", "Cache", logging,
                deque,
            ],
            swiftSettings: settings),

        // What Swift's Glibc module leaves out: netlink, timerfd, eventfd and pidfd.
        .systemLibrary(name: "CLinux"),
        .target(name: "Wakeups", dependencies: ["CLinux", "SyncCore"], swiftSettings: settings),

        // Protocol
        .target(
            name: "Varlink",
            dependencies: ["StrictJSON"],
            resources: [.embedInCode("org.varlink.service.varlink")],
            swiftSettings: settings),
        .target(
            name: "VarlinkServer",
            dependencies: ["CLinux", "Varlink", deque, nioCore, nioPosix, logging],
            swiftSettings: settings),
        .target(
            name: "UserdAPI",
            dependencies: ["Model", "StrictJSON", "Varlink"],
            resources: [.embedInCode("io.userd.varlink")],
            swiftSettings: settings),
        .target(
            name: "UserdReads",
            dependencies: ["Model", "Cache", "UserdAPI", "Varlink"],
            resources: [.embedInCode("placeholder.png")],
            swiftSettings: settings),
        .target(
            name: "UserdService",
            dependencies: ["Model", "Cache", "SyncEngine", "UserdAPI", "UserdReads", "Varlink"],
            swiftSettings: settings),

        // Programs
        .target(name: "BaseDirectories", swiftSettings: settings),
        .target(name: "NearMatch", swiftSettings: settings),
        .target(
            name: "Settings",
            dependencies: [
                "BaseDirectories", "NearMatch", argumentParser, logging,
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .target(name: "TerminalViews", swiftSettings: settings),
        .target(name: "ServiceManager", dependencies: ["Model", "TerminalViews"], swiftSettings: settings),
        .systemLibrary(
            name: "CPictures", providers: [.apt(["libturbojpeg0-dev", "libpng-dev", "zlib1g-dev"])]),
        .target(
            name: "PictureDecoding",
            dependencies: ["CPictures", "TerminalViews"],
            swiftSettings: settings),
        // glibc's settings of its allocator, which Swift's Glibc module leaves out.
        .systemLibrary(name: "CMalloc"),
        .executableTarget(
            name: "userd",
            dependencies: [
                "BaseDirectories", "CMalloc",
                "Model", "Services", "ServicesLive", "Cache", "Collation", "SyncCore", "SyncEngine",
                "UserdAPI", "UserdReads", "UserdService", "Varlink", "VarlinkServer", "Wakeups",
                "ServiceManager", "Settings", argumentParser, logging, serviceLifecycle,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings,
            linkerSettings: [
                linkedIn,
                // It opens its cache at every start: what it needs may as well be seen in the program.
                .linkedLibrary("sqlite3"),
            ]),
        .target(
            name: "UserctlKit",
            dependencies: [
                "BaseDirectories", "Model", "Cache", "NearMatch", "PictureDecoding", "StrictJSON", "UserdAPI",
                "UserdReads", "Varlink", "TerminalViews", argumentParser,
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "userctl", dependencies: ["UserctlKit"], swiftSettings: settings,
            linkerSettings: [
                linkedIn,
                // At a fixed address, since moving the program to another means to rewrite 45,000 pointers at each
                // start, a seventh of the time that a list takes; libraries, heap and stack are still anywhere.
                .unsafeFlags(["-Xclang-linker", "-no-pie"], .when(configuration: .release)),
            ]),
        // Only needed where userd is built.
        .executableTarget(
            name: "userd-manual", dependencies: ["Model", argumentParser], swiftSettings: settings),
        .target(
            name: "DemoUpstream",
            dependencies: [nioCore, nioPosix, nioHTTP1],
            swiftSettings: settings),
        .executableTarget(
            name: "userd-demo-upstream",
            dependencies: ["DemoUpstream", argumentParser],
            swiftSettings: settings),

        // Tests
        .target(
            name: "TestSupport",
            dependencies: ["Varlink", nioCore, nioPosix, nioSSL, logging],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "ModelTests",
            dependencies: ["Model"],
            swiftSettings: settings),
        .testTarget(
            name: "StrictJSONTests",
            dependencies: ["StrictJSON"],
            swiftSettings: settings),
        .testTarget(
            name: "ServicesTests",
            dependencies: [
                "Model", "Services", "ServicesLive", "StrictJSON", "DemoUpstream", "TestSupport", nioCore,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["SQLite", "CSQLite", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CacheTests",
            dependencies: ["Model", "Cache", "SQLite", "Migrations", "Collation", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: ["Model", "SyncCore"],
            swiftSettings: settings),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "Collation", "TestSupport", logging,
            ],
            swiftSettings: settings),
        // Prints what it is woken by: it is run in a network of its own.
        .executableTarget(
            name: "wakeups-probe", dependencies: ["SyncCore", "Wakeups"], path: "Tests/WakeupsProbe",
            swiftSettings: settings),
        .testTarget(
            name: "WakeupsTests",
            dependencies: ["CLinux", "SyncCore", "Wakeups", "wakeups-probe", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "Cache", "Collation", "SQLite", "TestSupport",
                logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FailureTests",
            dependencies: [
                "Model", "SyncCore", "SyncEngine", "Services", "ServicesLive", "Cache", "Collation",
                "DemoUpstream", "TestSupport", logging,
            ],
            swiftSettings: settings),
        .target(
            name: "VarlinkFixtures",
            dependencies: ["StrictJSON", "Varlink"],
            path: "Tests/VarlinkFixtures",
            swiftSettings: settings),
        .target(
            name: "Fuzzing",
            dependencies: ["StrictJSON", "Varlink", "VarlinkFixtures"],
            path: "Tests/Fuzzing",
            exclude: ["Corpus"],
            swiftSettings: settings),
        .testTarget(
            name: "VarlinkTests",
            dependencies: ["StrictJSON", "Varlink", "VarlinkFixtures", "Fuzzing", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "VarlinkServerTests",
            dependencies: [
                "Varlink", "VarlinkServer", "VarlinkFixtures", "TestSupport", logging, nioCore, nioPosix,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "UserdTests",
            dependencies: [
                "Model", "Varlink", "VarlinkServer", "UserdAPI", "UserdReads", "UserdService", "Services",
                "Cache", "Collation", "StrictJSON", "SyncCore", "SyncEngine", "TestSupport", logging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["Settings", "TestSupport", argumentParser, logging],
            swiftSettings: settings),
        .testTarget(
            name: "ServiceManagerTests",
            dependencies: ["Model", "ServiceManager", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "UserctlTests",
            dependencies: [
                "UserctlKit", "BaseDirectories", "Model", "Cache", "StrictJSON", "UserdAPI", "Varlink",
                "TerminalViews", "TestSupport", argumentParser,
            ],
            exclude: ["Shells"],
            swiftSettings: settings),
        .testTarget(
            name: "TerminalViewsTests",
            dependencies: ["TerminalViews"],
            swiftSettings: settings),
        .testTarget(
            name: "PictureDecodingTests",
            dependencies: ["PictureDecoding", "TerminalViews", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DemoUpstreamTests",
            dependencies: ["DemoUpstream", "userd-demo-upstream", "TestSupport"],
            swiftSettings: settings),
        // The interface that Varlink's own clients test a service with.
        .executableTarget(
            name: "varlink-certification",
            dependencies: [
                "StrictJSON", "Varlink", "VarlinkServer", argumentParser, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/Certification",
            resources: [.embedInCode("org.varlink.certification.varlink")],
            swiftSettings: settings),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "Model", "Cache", "Migrations", "SQLite", "StrictJSON", "UserdAPI", "Varlink", "DemoUpstream",
                "TestSupport",
            ],
            // Programs of other languages, which are run from where they are, and what tests read there.
            exclude: ["Clients", "Recordings"],
            swiftSettings: settings),
    ]
)

// It links only where everything is compiled with -sanitize=fuzzer, as .ci/fuzz does.
if Context.environment["USERD_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer", dependencies: ["Fuzzing"], path: "Tests/Fuzzer", swiftSettings: settings))
}
