import Model
import Platform
import TerminalViews
import UserdAPI

/// The settings of the address book, as a running userd reports them.
struct BookFacts {
    var port: Int
    var search: String?
    var department: String?
    var maximum: Int?

    /// Nil if there is no address book.
    init?(_ settings: [SettingValue]?) {
        func value(_ name: String) -> String? {
            settings?.value(of: "carddav.\(name)")
        }
        guard let port = value("port").flatMap(Int.init) else { return nil }
        self.port = port
        (search, department) = (value("search"), value("department"))
        maximum = value("max_users").flatMap(Int.init)
    }
}

extension CheckSubject {
    fileprivate static let listening = CheckSubject(name: "carddav.listening", title: "Address book")
    fileprivate static let socket = CheckSubject(
        name: "carddav.socket", title: "Address book's socket")
    fileprivate static let password = CheckSubject(name: "carddav.password", title: "Address book's password")
    fileprivate static let size = CheckSubject(name: "carddav.size", title: "Address book's size")
}

/// - Parameter socket: the running userd's; nil if unknown.
func bookChecks(
    at socket: String?, settings: [SettingValue]?, configFile: String?, _ probes: DoctorProbes
) -> [Check] {
    let facts = BookFacts(settings)
    // Without carddav.port, and at another port, systemd may still listen.
    let others = BookUnits(probes: probes).ports().filter { $0 != facts?.port }
    var checks = others.map { refusalCheck(.socket, $0, probes) }
    if let facts {
        checks += [
            passwordCheck(configFile, probes), listeningCheck(facts.port, probes),
            sizeCheck(socket.flatMap { probes.bookSize($0, facts) }, facts),
        ]
    }
    return checks.compactMap(\.self)
}

private func passwordCheck(_ configFile: String?, _ probes: DoctorProbes) -> Check? {
    guard let path = configFile.map({ parent(of: $0) + "/" + BaseDirectories.addressBookPassword }) else {
        return nil
    }
    let (fact, writing) = (probes.file(path, true), "`userctl carddav enable` writes one")
    guard fact != .absent else {
        return CheckSubject.password.failed("there is no file \(path)", writing)
    }
    return privacyCheck(
        .password, path, fact, is: .file, user: probes.user().id, other: "remove it, then \(writing)")
}

/// Nil if userd refuses nothing at this port.
private func refusalCheck(_ subject: CheckSubject, _ port: Int, _ probes: DoctorProbes) -> Check? {
    probes.bookRefusal(port).map {
        subject.failed("there is no address book at port \(port), where userd listens: \($0)")
    }
}

private func listeningCheck(_ port: Int, _ probes: DoctorProbes) -> Check {
    let otherPort = "`userctl carddav disable`, then `userctl carddav enable` takes another port"
    guard let user = probes.listeners().user(at: port) else {
        return CheckSubject.listening.failed(
            "nothing listens at port \(port)", "`journalctl --user -u userd` may say why")
    }
    guard user == probes.user().id else {
        return CheckSubject.listening.failed("user \(user) listens at port \(port)", otherPort)
    }
    if let refusal = refusalCheck(.listening, port, probes) { return refusal }
    guard probes.bookAnswer(port) else {
        return CheckSubject.listening.failed(
            "another program listens at port \(port), or userd does not serve the book",
            "`journalctl --user -u userd` may say why; \(otherPort)")
    }
    return CheckSubject.listening.ok("served at port \(port)")
}

private func sizeCheck(_ size: Int?, _ facts: BookFacts) -> Check? {
    guard let size, let maximum = facts.maximum else { return nil }
    guard size <= maximum else {
        return CheckSubject.size.failed(
            "\(grouped(size)) users, but carddav.max_users is \(grouped(maximum)), so the book is not served",
            "choose some with carddav.search or carddav.department in config.yaml, or raise carddav.max_users"
        )
    }
    if size == 0, let chosen = facts.search ?? facts.department {
        return CheckSubject.size.warning(
            "nobody is in the book: no user matches “\(chosen)”",
            "change carddav.search or carddav.department in config.yaml")
    }
    return CheckSubject.size.ok("\(grouped(size)) users")
}
