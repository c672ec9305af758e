import ArgumentParser
import Cache
import Model
import Platform

extension CompletionKind {
    /// Usernames, email addresses and ids from the cache file; none if it can't be read.
    static var userKey: CompletionKind { cached { try UserKeys.beginning(with: $0, path: $1) } }

    static var department: CompletionKind {
        cached { try FilterValue.department.beginning(with: $0, path: $1) }
    }

    static var city: CompletionKind { cached { try FilterValue.city.beginning(with: $0, path: $1) } }

    /// - Parameter beginning: returns the candidates with a prefix, from the cache file at a path.
    private static func cached(
        _ beginning: @escaping @Sendable (_ prefix: String, _ path: String) throws -> [String]
    ) -> CompletionKind {
        .custom { words, index, typed in
            let typed = begunWord(words, index, typed)
            let paths = Paths(
                socket: valueOfOption("--socket", in: words), database: valueOfOption("--database", in: words)
            )
            guard let database = paths.cache(Console.current) else { return [] }
            // Compares only the part before a quote; the shell unquotes and filters the rest.
            let begun = String(typed.prefix { !#"\"'"#.contains($0) })
            let candidates = (try? beginning(begun, database)) ?? []
            return candidates.filter(\.isTypable).map { literal(begun + $0.dropFirst(begun.count)) }
        }
    }

    /// Names of columns, separated by commas: those of CSV, and others that begin with what is typed.
    static var columns: CompletionKind {
        .custom { words, index, typed in
            let typed = begunWord(words, index, typed)
            let named = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
            let before = named.map { $0 + "," }.joined()
            let begun = typed.dropFirst(before.count)
            let others = UserColumn.all.filter { column in !column.names.contains { named.contains($0[...]) }
            }
            let names = others.flatMap { begun.isEmpty ? [$0.key] : $0.names.filter { $0.hasPrefix(begun) } }
            return names.map { before + $0 }
        }
    }
}

/// The word at the cursor.
/// - Parameter typed: the argument parser's value: always the last word, wherever the cursor is.
private func begunWord(_ words: [String], _ index: Int, _ typed: String) -> String {
    let word = words.dropLast().indices.contains(index) ? words[index] : typed
    // In zsh and fish, --option=value is one word.
    guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return word }
    return String(word[word.index(after: sign)...])
}

private func valueOfOption(_ name: String, in words: [String]) -> String? {
    guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
    return words[index + 1]
}

/// A candidate escaped for the shell's completion function, which the argument parser does not do.
private func literal(_ key: String) -> String {
    guard CompletionShell.requesting == .zsh else { return key }
    // zsh's _describe reads the text after a colon as a description.
    return key.replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#)
}

extension String {
    /// True if the text needs no sanitising and does not look like an option.
    fileprivate var isTypable: Bool { !isEmpty && !hasPrefix("-") && sanitised == self }
}
