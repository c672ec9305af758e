import ArgumentParser
import Cache
import TerminalViews

extension CompletionKind {
    /// Usernames, email addresses and ids of the users in the cache file; nothing where there is none.
    static var userKey: CompletionKind {
        .custom { words, index, typed in
            let typed = begunWord(words, index, typed)
            let database = valueOfOption("--database", in: words) ?? Console.current.usualPaths.database
            guard let database else { return [] }
            // What follows a quote has to be unquoted before it can be compared, which is left to the shell.
            let begun = String(typed.prefix { !#"\"'"#.contains($0) })
            let keys = (try? UserKeys.beginning(with: begun, path: database)) ?? []
            return keys.filter(\.isTypable).map { literal(begun + $0.dropFirst(begun.count)) }
        }
    }

    /// Names of columns, with commas between them.
    static var columns: CompletionKind {
        .custom { words, index, typed in
            let typed = begunWord(words, index, typed)
            let named = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
            let before = named.map { $0 + "," }.joined()
            return UserColumn.allCases.filter { !named.contains($0.rawValue[...]) }.map {
                before + $0.rawValue
            }
        }
    }
}

/// - Parameter typed: the argument parser's idea of it, which it takes from the last word wherever the cursor is.
private func begunWord(_ words: [String], _ index: Int, _ typed: String) -> String {
    words.dropLast().indices.contains(index) ? words[index] : typed
}

private func valueOfOption(_ name: String, in words: [String]) -> String? {
    guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
    return words[index + 1]
}

/// What a shell takes for a candidate and nothing else: the argument parser leaves that to each who completes.
private func literal(_ key: String) -> String {
    guard CompletionShell.requesting == .zsh else { return key }
    // Its _describe takes what follows a colon for a description.
    return key.replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#)
}

extension String {
    /// Whether it is one line that is shown as it is, and would not be taken for an option.
    fileprivate var isTypable: Bool { !isEmpty && !hasPrefix("-") && sanitised == self }
}
