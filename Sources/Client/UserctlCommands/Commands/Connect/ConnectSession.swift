import Glibc
import Model
import Platform
import UserdAPI
import YAML

/// Connects userd to a directory that was chosen: asks, tries, writes, signs in and syncs. Begun again, it does what is left.
/// Throws `CommandError`.
struct ConnectSession {
    let console: Console
    let probes: DoctorProbes
    var dialog: ConnectDialog
    let file: ConfigurationFile
    let paths: PathOptions
    let way: SignInOptions

    private var folder: String { parent(of: file.path) }
    var socket: String? { paths.paths.places(console).socket }

    // MARK: Planning

    /// - Parameter machine: the administrator's file, if that names the directory.
    /// - Returns: nil if the directory needs a client's id, and there is none.
    func plan(
        _ directory: DiscoveredDirectory, _ before: Configuration, machine: Configuration? = nil
    ) throws -> ConnectPlan? {
        let isKnown = machine != nil || directory.isNamed(in: before)
        let known = isKnown ? [before] + [machine].compactMap(\.self) : []
        var (directory, dialog) = (directory, dialog)
        if isKnown {
            directory = directory.resumed(from: known, folder: folder, isGiven: !dialog.canAsk)
            // A secret on standard input replaces that of the file.
            if dialog.canAsk { dialog.known = knownSecrets(known) }
        }
        return try dialog.complete(directory).map { settings, secret in
            let kinds = isKnown ? [] : dialog.furtherKinds(of: settings)
            return ConnectPlan(before: before, known: known, settings: settings + kinds, secret: secret)
        }
    }

    /// `demo: true` is the yes to the demo.
    func demo(_ before: Configuration) throws -> ConnectPlan {
        if let named = console.directoryFile {
            let address = shownAddress(named.configuration.text("users.url") ?? "")
            throw CommandError(
                "a directory is connected, \(address) (\(named.path)), and stays", .failed,
                advice: "for the demo, remove `users:` there first")
        }
        return ConnectPlan(before: before, known: [before], settings: [DiscoveredSetting("demo", "true")])
    }

    private func usualFile(_ kind: SecretKind) -> String { folder + "/" + kind.file }

    /// The values of the settings of secrets' files. One may be the secret itself, pasted in place of the path.
    private func knownSecrets(_ files: [Configuration]) -> [String: String] {
        var values: [String: String] = [:]
        for kind in SecretKind.allCases {
            if let value = files.text(kind.setting), !value.isEmpty {
                let isRelative = !SecretPath.beginsPath(value) && SecretPath(value).isPath(in: folder)
                values[kind.setting] = isRelative ? folder + "/" + value : value
            } else if ["", ".origin"].allSatisfy({ access(usualFile(kind) + $0, F_OK) == 0 }) {
                values[kind.setting] = usualFile(kind)
            }
        }
        return values
    }

    // MARK: Connecting

    func connect(_ plan: ConnectPlan) async throws {
        try show(plan.added)
        let (plan, total) = try tried(plan)
        var former = FormerFiles()
        let isUnchanged = try candidate(plan) == plan.before.bytes && plan.secret?.isNew != true
        if isUnchanged {
            console.say("these settings are there already")
        } else if !plan.isDemo {
            try await agree(to: plan, total: total)
        }
        if isUnderSystemd { try openSandbox(plan) }
        if !isUnchanged { try write(plan, &former) }
        try await takeUp()
        if plan.isSignIn { try await signIn(takingBack: former) }
        try await sync(plan)
    }

    /// The text that config.yaml would have.
    func candidate(_ plan: ConnectPlan) throws -> [UInt8] {
        try file.edited(advice: Self.byHand, plan.edit).bytes
    }

    private static let byHand =
        "put the lines above in place of its `users:` yourself; then `userctl connect` does the rest"

    /// Asks before anything is written.
    func agree(to plan: ConnectPlan, total: Int?) async throws {
        guard !plan.replaced.isEmpty else {
            let secret = plan.added.isEmpty ? plan.secret?.path : nil
            return try dialog.require("write \(secret ?? "these lines to \(file.path)")?")
        }
        let url = plan.before.text("users.url").map { ", \(shownAddress($0))" } ?? ""
        dialog.say(
            "\(file.path) names another directory\(url), and these go: \(plan.replaced.joined(separator: ", "))"
        )
        let cached = try? await paths.connection(console).read(
            .listUsers, { $0.listUsers }, ListUsers(limit: 1)
        ).decoded().total
        let going = cached.map { "the \(Resource.users.counted($0)) of now go" } ?? "the users of now go"
        let coming = total.map { "\(Resource.users.counted($0)) come" } ?? "those of the other directory come"
        try dialog.require("replace it? \(going), \(coming)", usually: false)
    }

    /// Lets userd's service read what its sandbox would hide.
    func openSandbox(_ plan: ConnectPlan) throws {
        let units = ServiceUnits(probes: probes, now: console.clock.now, say: console.say)
        if plan.isByTicket { try console.openForTickets(units, probes, isAgreed: false) }
        if let secret = plan.secret, secret.isHidden {
            let dropIn = try console.write(dropIn: secretDropIn(secret.path), secret.kind.file)
            console.say("wrote \(dropIn): userd sees \(parent(of: secret.path))")
            try units.reload()
        }
    }

    /// Whether systemd runs userd, or will.
    var isUnderSystemd: Bool {
        if let start = DaemonProcess.serving(socket, probes)?.start { return start.isService }
        let units = ServiceUnits(probes: probes, now: console.clock.now, say: { _ in })
        return (try? units.status().isInstalled) == true
    }

    func write(_ plan: ConnectPlan, _ former: inout FormerFiles) throws {
        let hasSecret = SecretKind.allCases.compactMap { plan.before.text($0.setting) }
            .contains { !$0.isEmpty && !SecretPath($0).isPath(in: folder) }
        let isEdited = try candidate(plan) != plan.before.bytes
        do {
            try blockingSignals {
                try makePrivateFolder(folder)
                if !plan.replaced.isEmpty {
                    for kind in SecretKind.allCases where plan.secret?.path != usualFile(kind) {
                        try former.setAside(usualFile(kind))
                    }
                }
                if let secret = plan.secret { try former.write(secret) }
                guard isEdited else { return }
                try former.keep(file.path)
                try file.change(
                    keepsOld: !hasSecret, byHand: Self.byHand, mistake: probes.mistake(inConfiguration:),
                    plan.edit)
            }
        } catch {
            former.restore()
            throw error
        }
        if let secret = plan.secret, secret.isNew { console.say("wrote \(secret.path)") }
        if isEdited { console.say("wrote \(file.path)") }
    }

    func show(_ settings: [DiscoveredSetting]) throws {
        let lines = try configurationLines(settings)
        guard !lines.isEmpty else { return }
        try console.print([""] + lines.map { "  " + $0 } + [""])
    }
}
