import Platform
import UserdAPI

extension CheckSubject {
    fileprivate static let paths = CheckSubject(name: "secrets.paths", title: "Secrets' paths")
    fileprivate static let files = CheckSubject(name: "secrets.files", title: "Secrets' files")
}

/// The checks of the files that hold secrets; none if the settings name none.
/// - Parameters:
///   - settings: as a running userd reports them; nil if unknown.
///   - warnings: those of userd about its settings.
func secretChecks(
    _ settings: [SettingValue]?, warnings: [String], configFile: String?, _ probes: DoctorProbes
) -> [Check] {
    let named = (settings ?? []).filter {
        ($0.name == "users.headers" || SecretKind(rawValue: $0.name) != nil) && $0.value?.isEmpty == false
    }
    let pasted = warnings.filter(isOfPastedSecret).map { String($0.prefix { $0 != ":" }) }
    let hidden = named.flatMap { setting in
        setting.hint == nil ? [] : paths(of: setting).filter { isReadable($0, probes) }.map { (setting, $0) }
    }
    let checks =
        pasted.map(pastedCheck)
        + hidden.map { hiddenCheck($0, $1, in: configFile.map(parent(of:)) ?? "~/.config/userd") }
    let isFine = !named.isEmpty && named.allSatisfy { $0.hint == nil }
    return checks.isEmpty && isFine ? [CheckSubject.files.ok("userd can open them")] : checks
}

/// A warning that the check of the paths replaces.
func isOfPastedSecret(_ warning: String) -> Bool { warning.contains(SecretPath.hidden) }

private func pastedCheck(_ setting: String) -> Check {
    CheckSubject.paths.failed(
        "\(setting) is no path; it may be the secret itself",
        "`userctl connect ADDRESS` moves it into a file of its own; by hand, write it into a file, and name that file",
        "ask for a new one if you can: it may also be in the journal, where `sudo journalctl --rotate` and then "
            + "`sudo journalctl --vacuum-time=1s` remove the lines of all programs; userd removes it from its history when it "
            + "starts"
    )
}

/// The sandbox of the service hides most of the home directory.
private func hiddenCheck(_ setting: SettingValue, _ path: String, in folder: String) -> Check {
    let found = "\(setting.name): \(path) is there, but userd can't open it: the service's sandbox hides it"
    guard setting.name == "users.headers" else {
        return CheckSubject.files.failed(
            found,
            "`userctl connect` lets the service see its folder if another program renews it, and else copies it to \(folder)"
        )
    }
    return CheckSubject.files.failed(
        found,
        "if another program renews it, open its folder: `systemctl --user edit userd.service`, with the lines [Service] and "
            + "\(boundLine(parent(of: path))), then `systemctl --user restart userd.service`",
        "if not, copy it to \(folder), and name the copy in \(setting.name)")
}

/// The absolute paths in a setting; other values of headers are hidden.
private func paths(of setting: SettingValue) -> [String] {
    (setting.value ?? "").split(separator: "\"").map(String.init).filter { $0.hasPrefix("/") }
}

private func isReadable(_ path: String, _ probes: DoctorProbes) -> Bool {
    guard case .found(.file, let owner, let mode) = probes.file(path, true) else { return false }
    return mode & (owner == probes.user().id ? 0o400 : 0o004) != 0
}
