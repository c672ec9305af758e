import YAML

extension DirectoryFormat {
    /// Keys of the configuration, by their names below `users` or `facts`; nil where it does not have them.
    package typealias Overrides = [(key: String, value: YAMLNode?)]

    /// Puts keys of the configuration in the place of the format's own.
    /// - Parameter names: those that `fields` may have.
    /// - Returns: what is wrong with them, at most one mistake a key.
    package mutating func override(with keys: Overrides, fields names: [String]) -> [FormatMistake] {
        var mistakes: [FormatMistake] = []
        for case (let key, let value?) in keys {
            do throws(FormatMistake) { try override(key, with: value, fields: names) } catch {
                mistakes.append(error)
            }
        }
        return mistakes
    }

    /// The fields that `fields` of the configuration has.
    package static func names(in fields: YAMLNode?) -> Set<String> { Set(fields?.names ?? []) }
}
