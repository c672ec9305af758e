import Foundation
import Glibc
import Sync
import TestSupport
import Testing

@Suite("Watched folders", .timeLimit(.hang)) struct FolderChangesTests {
    enum Change: CaseIterable { case removed, renamed, replaced, folderMoved }

    @Test(
        "A watch of a folder reports that a file was removed, renamed or replaced, or that the folder moved",
        arguments: Change.allCases)
    func told(change: Change) async throws {
        let (files, directory) = (FileManager.default, try TemporaryDirectory())
        let (folder, file) = (directory.file("folder"), directory.file("folder/cache.db"))
        try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: file))
        let changes = changes(in: folder, ofNames: "cache.db")
        switch change {
        case .removed: try files.removeItem(atPath: file)
        case .renamed: try files.moveItem(atPath: file, toPath: folder + "/other")
        case .replaced:
            try Data("new".utf8).write(to: URL(filePath: folder + "/new"))
            try #require(rename(folder + "/new", file) == 0)
        case .folderMoved: try files.moveItem(atPath: folder, toPath: directory.file("moved"))
        }
        for await _ in changes { break }
    }

    @Test("A folder that can't be watched is said, with the kernel's reason")
    func unwatched() throws {
        var reason: String?
        _ = changes(in: "/nonexistent", ofNames: "cache.db") { reason = $0 }
        #expect(reason == "No such file or directory")
    }
}
