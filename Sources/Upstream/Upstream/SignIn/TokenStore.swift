import Model
import Platform
import StrictJSON

/// Keeps tokens between starts. The closures block, and throw `FileWriteError` and `FileError`.
package struct TokenStore: Sendable {
    /// The path of its file, for messages.
    package var path: String
    /// Nil if there are none, or only those of another version.
    package var read: @Sendable () throws -> SavedTokens?
    /// Returns once they are on the disk.
    package var write: @Sendable (SavedTokens) throws -> Void
    package var remove: @Sendable () throws -> Void
    /// The lock of all who change the tokens, in this process and others; nil if it is held.
    package var lock: @Sendable () throws -> FileLock?

    /// A file of mode 0600 in a folder of mode 0700, which is made for the first lock.
    package static func file(in folder: String) -> TokenStore {
        let path = folder + "/users.json"
        return TokenStore(
            path: path,
            read: {
                let bytes: [UInt8]
                do throws(FileError) { bytes = try RegularFile(path, upTo: 1 << 20).bytes } catch {
                    if error.isMissing { return nil }
                    throw error
                }
                let json = try? JSONValue(validating: bytes, maximumDepth: 8)
                guard let json, json["version"]?.int == Int64(SavedTokens.currentVersion) else { return nil }
                return try? json.decode(SavedTokens.self)
            },
            write: { try replaceDurably(path, with: [StrictJSON.encode($0)]) },
            remove: { try removeDurably(path) },
            lock: {
                try makePrivateFolder(folder)
                return try FileLock.take(path + ".lock")
            })
    }
}
