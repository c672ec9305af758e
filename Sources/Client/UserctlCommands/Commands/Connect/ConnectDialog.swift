import Glibc
import Model
import Platform

/// Asks a person what only they know. Throws `CommandError` where they give up.
struct ConnectDialog {
    /// Shows a question, and returns the line that is typed; nil at the end of the input.
    var ask: (String) -> String?
    /// The same, without showing what is typed.
    var askHidden: (String) -> String?
    var say: (String) -> Void
    /// The owner and issuer of the certificate of a server.
    var certificate: (String) throws -> String
    /// Whether userd's service can't see a file.
    var isHidden: (String) -> Bool = { _ in false }
    /// Answers that the file has already, by the setting. A wrong one is asked for.
    var known: [String: String] = [:]
    /// False if nobody can be asked, and the secret comes from elsewhere.
    var canAsk = true
    /// Says what a directory needs that has no client's id yet.
    var tellAdministrator: (DiscoveredDirectory) throws -> Void = { _ in }
    /// The folder of config.yaml.
    let folder: String
    let home: String?

    static let declined = CommandError("nothing was written", .failed)
    private static let onTerminal = "run `userctl connect` on a terminal, without --with-token"

    func choice(among directories: [DiscoveredDirectory]) throws -> DiscoveredDirectory {
        guard directories.count > 1 else { return directories[0] }
        return try answer(
            to: "which one? 1 to \(directories.count), or Enter for 1: ", named: "which of them is meant"
        ) { text throws(WrongAnswer) in
            guard let number = text.isEmpty ? 1 : Int(text), directories.indices.contains(number - 1) else {
                throw WrongAnswer("there is no directory “\(text.shown(upTo: 40))” above")
            }
            return directories[number - 1]
        }
    }

    /// Asks for what a directory needs.
    /// - Returns: its settings and, if one names a secret, that. Nil without the client's id.
    func complete(_ directory: DiscoveredDirectory) throws -> (
        settings: [DiscoveredSetting], secret: GivenSecret?
    )? {
        var (settings, needed) = (directory.settings, directory.needed)
        var secret: GivenSecret?
        while !needed.isEmpty {
            let name = needed.removeFirst()
            guard let kind = SecretKind(rawValue: name) else {
                let question = Needed.of(name)
                let value = try answer(
                    to: question.text, named: name,
                    { text throws(WrongAnswer) in try question.value(of: text) })
                if let value { settings.append(DiscoveredSetting(name, value)) }
                if value == nil, name == "users.oauth.client_id" {
                    var asked = directory
                    asked.settings = settings + needed.compactMap { Needed.of($0).assumed(as: $0) }
                    try tellAdministrator(asked)
                    return nil
                }
                continue
            }
            // Whoever binds anonymously has no password.
            if kind == .password, settings.value(of: "users.bind_dn") == nil {
                continue
            }
            switch try self.secret(kind, settings, orProvider: kind == .token) {
            case .secret(let given):
                secret = given
                let isSame = known[name].map(absolute) == given.path
                settings.append(DiscoveredSetting(name, isSame ? known[name] ?? "" : given.path))
            case .provider(let address):
                settings.append(DiscoveredSetting("users.oauth.issuer", address))
                needed += ["users.oauth.client_id", "users.oauth.scope"]
            }
        }
        return (settings, secret)
    }

    /// Offers groups, rooms and shared mailboxes, which LDAP can list; none where nobody can be asked.
    func furtherKinds(of settings: [DiscoveredSetting]) -> [DiscoveredSetting] {
        guard canAsk, settings.value(of: "users.format") == "ldap",
            agrees("groups, rooms and shared mailboxes, too?", usually: false)
        else { return [] }
        let kinds: [UserKind] = [.person, .group, .room, .mailbox]
        return [DiscoveredSetting("users.kinds", kinds.map(\.rawValue).joined(separator: ", "))]
    }

    enum SecretAnswer {
        case secret(GivenSecret)
        /// The address of a provider to sign in at, in place of a token.
        case provider(String)
    }

    /// Says who would get a secret, and asks for it. Asks for nothing if its server has no valid certificate.
    func secret(
        _ kind: SecretKind, _ settings: [DiscoveredSetting], orProvider: Bool = false
    ) throws -> SecretAnswer {
        let address = kind.target(settings) ?? ""
        let (origin, certificate) = (addressOrigin(address), try certificate(address))
        say(kind.noun.prefix(1).uppercased() + kind.noun.dropFirst() + " for \(origin) (\(certificate))")
        let usual = folder + "/" + kind.file
        let isThere = access(usual, F_OK) == 0
        let question =
            "paste the \(kind.noun) (it is not shown), or the path of a file"
            + (orProvider ? "; to sign in as yourself, the address of your provider (https://…)" : "")
            + (isThere ? "; Enter for \(usual)" : "") + ": "
        var answer = known[kind.setting]
        var isTyped = answer == nil
        while let line = answer ?? askHidden(question) {
            let text = line.trimmingBlanks()
            do throws(WrongAnswer) {
                if canAsk, text.isEmpty, isThere {
                    return .secret(try file(usual, kind, origin, isTyped: isTyped))
                }
                if canAsk, SecretPath.beginsPath(text) {
                    return .secret(try file(absolute(text), kind, origin, isTyped: isTyped))
                }
                if orProvider, text.contains("://") { return .provider(text) }
                let secret = try kind.secret(in: line)
                return .secret(
                    GivenSecret(kind: kind, text: secret, path: usual, origin: origin, isNew: true))
            } catch { say(error.reason) }
            (answer, isTyped) = (nil, true)
        }
        throw Self.declined
    }

    private func absolute(_ path: String) -> String {
        if path.hasPrefix("~/"), let home { return home + path.dropFirst() }
        guard path.hasPrefix("./"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + path.dropFirst()
    }

    /// The secret in a file, which is copied beside config.yaml if userd's service can't see it and no other program renews it.
    /// - Parameter isTyped: whether a person has named the file for this origin just now. Then userd's own file becomes one for it.
    func file(
        _ path: String, _ kind: SecretKind, _ origin: String, isTyped: Bool
    ) throws(WrongAnswer) -> GivenSecret {
        var bytes: ArraySlice<UInt8>
        let shown = path.shown(upTo: 200)
        do throws(FileError) {
            bytes = try RegularFile(path, upTo: Console.longestLine + 2).bytes.withoutByteOrderMark
        } catch {
            throw WrongAnswer(error.isMissing ? "there is no file \(shown)" : "\(shown) \(error)")
        }
        let written = (try? RegularFile(path + ".origin", upTo: 4 << 10).bytes).flatMap(writtenOrigin)
        let isOwn = path == folder + "/" + kind.file
        if let written, written != origin, !isTyped || !isOwn {
            throw WrongAnswer(
                "\(shown) is for \(written.shown(upTo: 200)), as \(shown).origin says"
                    + (isOwn ? "" : "; if it is for \(origin), write that there"))
        }
        for end in ["\n", "\r"].map({ UInt8(ascii: $0) }) where bytes.last == end { bytes.removeLast() }
        var given = GivenSecret(
            kind: kind, text: try kind.secret(in: String(decoding: bytes, as: UTF8.self)), path: path,
            origin: origin, isNew: isTyped && isOwn && written != origin)
        guard isHidden(path) else { return given }
        say("userd's service does not see \(path)")
        guard agrees("does another program renew it?", usually: false) else {
            return GivenSecret(
                kind: kind, text: given.text, path: folder + "/" + kind.file, origin: origin, isNew: true)
        }
        let place = parent(of: path)
        guard !Sandbox(home: home, folder: folder).holdsMuch(place) else {
            throw WrongAnswer(
                "the service would see all of \(place): put the file into a folder of its own, and name it again"
            )
        }
        given.isHidden = true
        return given
    }

    /// Throws unless a person agrees.
    /// - Parameter usually: the answer of Enter, and where nobody can be asked.
    func require(_ question: String, usually: Bool = true) throws {
        guard canAsk || usually else {
            throw CommandError(
                "nothing was written, since nobody can be asked: \(question)", .failed,
                advice: Self.onTerminal)
        }
        guard !canAsk || agrees(question, usually: usually) else { throw Self.declined }
    }

    /// - Parameter usually: the answer of Enter.
    func agrees(_ question: String, usually: Bool = true) -> Bool {
        while let answer = ask("\(question) [\(usually ? "Y/n" : "y/N")] ")?.lowercased() {
            if answer.isEmpty { return usually }
            if ["y", "yes"].contains(answer) { return true }
            if ["n", "no"].contains(answer) { return false }
            say("please answer y or n")
        }
        return false
    }

    /// Asks until the answer is right.
    /// - Parameter subject: of the error if nobody can be asked.
    private func answer<Value>(
        to question: String, named subject: String, _ read: (String) throws(WrongAnswer) -> Value
    ) throws -> Value {
        guard canAsk else {
            throw CommandError(
                "\(subject) is not known, and nobody can be asked", .failed, advice: Self.onTerminal)
        }
        while let text = ask(question) {
            do throws(WrongAnswer) { return try read(text) } catch { say(error.reason) }
        }
        throw Self.declined
    }
}
