import Foundation
import TestSupport
import Testing

/// The result of `make install` with this build's programs, below a prefix in a directory of its own.
struct Installation {
    private let directory: TemporaryDirectory
    private let prefix: String
    private let destination: String

    static let environment = [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8",
    ]
    static let package = URL(filePath: #filePath).appending(path: "../../..").standardized.path
    static let programs = URL(filePath: Program.userctl.path).deletingLastPathComponent().path

    /// - Parameter prefix: staged in the directory; nil for the directory itself, as a user would install.
    init(prefix: String? = nil) throws {
        directory = try TemporaryDirectory()
        self.prefix = prefix ?? directory.file("100%h here")
        destination = prefix == nil ? "" : directory.path
    }

    /// Runs make in the package's folder.
    /// - Parameter path: a folder before those of PATH.
    @discardableResult
    func make(
        _ target: String, path: String? = nil, environment: [String: String] = [:]
    ) async throws -> String {
        let finished = try await run(
            "/usr/bin/make",
            [
                "-C", Self.package, "--no-print-directory", target, "BIN=\(Self.programs)",
                "DESTDIR=\(destination)", "PREFIX=\(prefix)",
            ],
            environment: Self.environment.merging([
                "SOURCE_DATE_EPOCH": "1700000000",
                "PATH": (path.map { $0 + ":" } ?? "") + (Self.environment["PATH"] ?? ""),
            ]) { $1 }.merging(environment) { $1 },
            within: .seconds(600))
        try #require(finished.code == 0, "\(finished.errors)")
        return finished.output
    }

    func file(_ name: String) -> String { destination + prefix + "/" + name }

    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

    func files() throws -> [String] { try filesBelow(file("")) }
}

/// All paths below a directory except those of directories, relative to it.
func filesBelow(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
        let type = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.type]
        return type as? FileAttributeType != .typeDirectory
    }.sorted()
}
