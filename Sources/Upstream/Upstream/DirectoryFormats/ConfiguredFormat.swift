import YAML

extension DirectoryFormat {
    /// Keys of the configuration, by their names below `users` or `facts`; nil for those it does not have.
    package typealias Overrides = [(key: String, value: YAMLNode?)]

    /// Replaces keys of the format by those of the configuration.
    /// - Parameter names: the names that `fields` may have.
    /// - Returns: at most one mistake for each key.
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
