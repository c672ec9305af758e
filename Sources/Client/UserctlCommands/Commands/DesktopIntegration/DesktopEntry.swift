import Model

/// The files by which a desktop finds userctl. An installation puts them where desktops look.
enum DesktopEntry: String, CaseIterable, Sendable {
    /// `applications/io.userd.desktop`.
    case application
    /// `gnome-shell/search-providers/io.userd.ini`, of system folders alone.
    case gnome
    /// `krunner/dbusplugins/io.userd.desktop`.
    case krunner
    /// `dbus-1/services/io.userd.Search.service`.
    case service

    static let id = "io.userd"

    /// Names userctl by its path in Debian's package: an installation elsewhere replaces that.
    var text: String {
        switch self {
        case .application:
            """
            [Desktop Entry]
            Type=Application
            \(names)
            Exec=/usr/bin/userctl desktop window browse
            Terminal=true
            Icon=\(DesktopSearch.icon)
            Categories=Office;ContactManagement;

            """
        case .gnome:
            """
            [Shell Search Provider]
            DesktopId=\(Self.id).desktop
            BusName=\(DesktopSearch.name)
            ObjectPath=\(DesktopSearch.path)
            Version=2

            """
        case .krunner:
            """
            [Desktop Entry]
            Type=Service
            \(names)
            Icon=\(DesktopSearch.icon)
            X-KDE-ServiceTypes=Plasma/Runner
            X-KDE-PluginInfo-Name=\(Self.id)
            X-KDE-PluginInfo-EnabledByDefault=true
            X-Plasma-API=DBus
            X-Plasma-DBusRunner-Service=\(DesktopSearch.name)
            X-Plasma-DBusRunner-Path=\(DesktopSearch.path)
            X-Plasma-Request-Actions-Once=true

            """
        case .service:
            """
            [D-BUS Service]
            Name=\(DesktopSearch.name)
            Exec=/usr/bin/userctl desktop search

            """
        }
    }

    private var names: String {
        DesktopWords.languages.map { language, words in
            "Name" + (language == "en" ? "" : "[\(language)]") + "=" + words.name
        }.joined(separator: "\n")
    }
}
