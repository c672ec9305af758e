import HTTP
import Model
import Upstream
import YAML

/// The formats of JSON that the settings describe; nil for randomuser and catfact, which take no keys.
struct Formats {
    private(set) var users: DirectoryFormat?
    private(set) var facts: DirectoryFormat?
    /// The names in the configuration's `users.fields`.
    private(set) var configuredFields: Set<String> = []
    private(set) var mistakes: [SettingMistake] = []

    init(_ settings: Settings) {
        let (users, facts) = (settings.users, settings.facts)
        self.users = format(
            users.format, of: "users", unless: "randomuser", among: DirectoryFormat.names,
            [
                ("records", users.records), ("fields", users.fields), ("skip", users.skip),
                ("kind_values", users.kindValues), ("paging", users.paging),
            ], fields: UserField.all.map(\.name), needed: "id")
        configuredFields = Set(users.fields?.names ?? [])
        for (key, reason) in self.users?.paging.misplaced(in: users.requestBody) ?? [] {
            mistakes.append(SettingMistake("users.paging", key: "users.paging.\(key)", reason))
        }
        self.users?.kinds = Set(users.kinds)
        mistakes += settings.kindMistakes(self.users)
        self.users?.omit(users.omittedFields)
        guard settings.hasFacts else { return }
        self.facts = format(
            facts.format, of: "facts", unless: "catfact", among: ["json", "none"],
            [("records", facts.records), ("fields", facts.fields), ("paging", facts.paging)],
            fields: FactField.allCases.map(\.rawValue), needed: "text")
    }

    private mutating func format(
        _ name: String, of section: String, unless own: String, among names: [String],
        _ keys: DirectoryFormat.Overrides, fields: [String], needed: String
    ) -> DirectoryFormat? {
        func mistake(_ key: String, _ reason: String) {
            mistakes.append(SettingMistake("\(section).\(key)", reason))
        }
        if name == own {
            for key in keys where key.value != nil {
                mistake(
                    key.key,
                    "has no meaning where \(section).format is \(own); set \(section).format, for example to json"
                )
            }
            return nil
        }
        var format: DirectoryFormat?
        do throws(FormatMistake) {
            format = names.contains(name) ? try DirectoryFormat.named(name) : nil
        } catch {
            mistake("format", "\(name): \(error.reason)")
            return nil
        }
        guard var format else {
            let all = [own] + names
            mistake(
                "format",
                "\"\(name)\" is not a format; expected one of \(all.joined(separator: ", "))"
                    + didYouMean(name, among: all))
            return nil
        }
        let wrong = format.override(with: keys, fields: fields)
        for error in wrong {
            let key = error.key.map { "\(section).\($0)" }
            let setting = keys.first { error.key?.hasPrefix($0.key) == true }?.key ?? "format"
            mistakes.append(SettingMistake("\(section).\(setting)", key: key, line: error.line, error.reason))
        }
        if wrong.isEmpty, format.fields[needed] == nil {
            let isGiven = keys.contains { $0.key == "fields" && $0.value != nil }
            mistake(
                isGiven ? "fields" : "format",
                "\(isGiven ? "has no \(needed)" : "\(name) needs \(section).fields"); write {\(needed): /\(needed)} if "
                    + "records have it there")
        }
        return format
    }
}

extension Settings.Users {
    /// Users as randomuser.me lists them, without the fields that the settings leave out.
    var defaultFormat: DirectoryFormat {
        get throws(FormatMistake) {
            var format = try DirectoryFormat.builtIn("randomuser")
            format.omit(omittedFields)
            return format
        }
    }

    /// Nil if users are requested by GET.
    var requestBody: RequestBody? { body.map { RequestBody($0) } }
}

extension Settings {
    /// True if facts are turned on.
    var hasFacts: Bool { self.facts.format != "none" }
}

extension SettingsLoader {
    /// Sets the defaults that follow from the formats, and finds mistakes in formats.
    static let completing: Complete = { settings, isGiven in
        settings.namesDirectory = isGiven("users.url")
        // Cat facts are unwanted once a directory is connected.
        if settings.namesDirectory,
            !Setting.all.contains(where: { $0.name.hasPrefix("facts.") && isGiven($0.name) })
        {
            settings.facts.format = "none"
        }
        let formats = Formats(settings)
        settings.users.oauth.takeClientID(of: formats.users)
        var mistakes =
            formats.mistakes + settings.signInMistakes + settings.tokenMistakes(isGiven)
            + NetworkOptions.mistakes(settings)
            + settings.ldapMistakes(formats.users)
        if let format = formats.users {
            var query = QueryParameters(isGiven("users.query") ? settings.users.query : "")
            query.append(unlessNamed: QueryParameters(format.query))
            settings.users.query = query.encoded
            if format.isLDAP, !settings.users.query.isEmpty, settings.replay == nil {
                mistakes.append(
                    SettingMistake(
                        "users.query", "has no meaning with LDAP; the filter is a part of users.url"))
            }
            if !isGiven("users.page_size") {
                let size = format.paging.size(in: settings.users.requestBody)
                settings.users.pageSize = size ?? format.pageSize
            }
            if !isGiven("users.pages") { settings.users.pages = nil }
            if !isGiven("users.url") {
                mistakes.append(
                    SettingMistake(
                        "users.format", "\(format.name) needs users.url, the address of its list of users"))
            }
        }
        if let format = formats.facts {
            if !isGiven("facts.page_size") { settings.facts.pageSize = format.pageSize }
            if !isGiven("facts.one_url") { settings.facts.oneURL = nil }
            if !isGiven("facts.url") {
                mistakes.append(
                    SettingMistake(
                        "facts.format", "\(format.name) needs facts.url, the address of its list of facts"))
            }
        }
        return mistakes
    }
}
