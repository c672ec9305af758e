/// What userd does and where: a value for each setting of `SettingsTable`, by the names of its properties.
@dynamicMemberLookup
package struct Settings: Sendable, Equatable {
    private static let table = SettingsTable()
    /// By the setting's name, those that are not the default.
    private var values: [String: any Sendable] = [:]
    /// Where `http.proxy` and `http.no_proxy` are not set.
    package internal(set) var proxyVariables = ProxyVariables()

    package typealias Limits = SettingsSection<SettingsTable.Limits>

    package init() {}

    package subscript<Value>(dynamicMember member: KeyPath<SettingsTable, Declared<Value>>) -> Value {
        get { self[Self.table[keyPath: member]] }
        set { self[Self.table[keyPath: member]] = newValue }
    }

    package subscript<Section: SettingsGroup>(dynamicMember section: KeyPath<SettingsTable, Section>)
        -> SettingsSection<Section>
    {
        get { SettingsSection(settings: self, table: Self.table[keyPath: section]) }
        set { self = newValue.settings }
    }

    /// Nil for the default.
    subscript<Value: Sendable>(_ name: String) -> Value? {
        get { values[name].flatMap { $0 as? Value } }
        set { values[name] = newValue }
    }

    fileprivate subscript<Value>(_ declared: Declared<Value>) -> Value {
        get { self[declared.setting.name] ?? declared.defaultValue }
        set { self[declared.setting.name] = newValue }
    }

    mutating func keep(_ name: String, of old: Settings) { values[name] = old.values[name] }

    package static func == (a: Self, b: Self) -> Bool { Setting.changes(from: a, to: b).isEmpty }

    /// For those who cannot do without a socket: the error says how to name one.
    package func requiredSocket() throws(SettingsError) -> String {
        guard let socket = self.socket else {
            throw SettingsError(
                "socket",
                "has no default here, since XDG_RUNTIME_DIR is not set to an absolute path; "
                    + "name the socket with --socket or USERD_SOCKET")
        }
        return socket
    }
}

@dynamicMemberLookup
package struct SettingsSection<Section: SettingsGroup>: Sendable {
    fileprivate var settings: Settings
    fileprivate let table: Section

    package subscript<Value>(dynamicMember member: KeyPath<Section, Declared<Value>>) -> Value {
        get { settings[table[keyPath: member]] }
        set { settings[table[keyPath: member]] = newValue }
    }

    package subscript<Inner: SettingsGroup>(dynamicMember section: KeyPath<Section, Inner>)
        -> SettingsSection<Inner>
    {
        get { SettingsSection<Inner>(settings: settings, table: table[keyPath: section]) }
        set { settings = newValue.settings }
    }
}
