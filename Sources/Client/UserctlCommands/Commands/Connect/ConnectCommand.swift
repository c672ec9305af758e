import ArgumentParser
import Glibc
import Model
import Platform
import UserdAPI
import YAML

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect userd to your organisation's directory.",
        discussion: """
            Finds out which directory the organisation has, says whose server it is, asks for what only you know, tries it, writes \
            config.yaml, has userd read it, lets you sign in, and syncs. NAME is a domain, such as that of your email address, or the \
            https://, ldaps:// or ldap:// address of a directory. Nothing secret is sent to find it. `demo` stands for \
            twenty made-up users and cat facts, by one line in config.yaml.

            Begun again, it does what is left; then NAME may be left out, as on a machine whose administrator has named the directory. \
            Another directory is replaced after a question, and what was there is kept beside.

            A token or password that you paste is not shown, and is written to a file beside config.yaml that only you may read. \
            An answer that begins with /, ~ or ./ is the path of a file that has it. --with-token reads it from standard input, and \
            agrees to what is written.

            --for-administrator prints a text to forward to whoever decides where people may sign in: what to check, how to \
            withdraw it, what it costs the directory, and, for Microsoft and a client id, the link by which they consent for \
            everybody. It changes nothing.

            --device and --paste are for machines without a browser: `userctl sign-in --help` explains them.

            Without a terminal, or with --dry-run, it prints what it found and the lines of config.yaml, and changes nothing.

            Examples:
              userctl connect example.org
              userctl connect https://idp.example.org/scim/v2
              pass show idp | userctl connect https://idp.example.org/scim/v2 --with-token
              userctl connect ldaps://ldap.example.org
              userctl connect example.org --dry-run
              userctl connect example.org --for-administrator
              userctl connect example.org --device
              userctl connect demo
            """)

    @Argument(help: ArgumentHelp("A domain or an address.", valueName: "name"))
    var name: String?

    @Flag(help: "Print what is found and the lines of config.yaml, and change nothing.")
    var dryRun = false

    @Flag(help: "Read the token, password or client secret from standard input, and ask nothing.")
    var withToken = false

    @Flag(help: "Ask Microsoft for the domain even if its DNS does not lead there.")
    var askMicrosoft = false

    @Flag(help: "Print a text for the administrator who lets people sign in, and change nothing.")
    var forAdministrator = false

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The client id that userd is registered under.", valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp(
            "Machines with userd, in the text for the administrator. (default: \(AdministratorLetter.machines))",
            valueName: "number"),
        transform: { text throws -> Int in
            guard let number = Int(text), 1...1_000_000 ~= number else {
                throw ValidationError("it must be a number from 1 to 1000000")
            }
            return number
        })
    var machines: Int?

    @OptionGroup var way: SignInOptions
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if let name, name.trimmingBlanks().isEmpty {
            throw ValidationError("The name is empty, but a domain or an address is expected.")
        }
        if let clientID, clientID.trimmingBlanks().isEmpty {
            throw ValidationError("The client id is empty.")
        }
        if withToken, forAdministrator {
            throw ValidationError("--with-token and --for-administrator exclude each other.")
        }
        if machines != nil, !forAdministrator {
            throw ValidationError("--machines is for the text of --for-administrator: add that option.")
        }
        if clientID != nil, name == "demo" {
            throw ValidationError("Nobody signs in to the demo; leave out --client-id.")
        }
        if withToken, dryRun { throw ValidationError("--with-token and --dry-run exclude each other.") }
    }

    func run() async throws {
        let console = Console.current
        let probes = DoctorProbes.live(console.environment)
        guard let path = console.baseDirectories.configFile else {
            throw CommandError("there is no home directory for config.yaml", .failed)
        }
        let session = session(ConfigurationFile(path: path), console, probes)
        let before = try session.file.read()
        if name == "demo", !forAdministrator {
            let plan = try session.demo(before)
            return try await dryRun ? session.show(plan.added) : session.connect(plan)
        }
        let changes = !dryRun && !forAdministrator && (withToken || console.canAsk)
        let machine = console.directoryFile.flatMap { named in
            named.path != path && (changes || name == nil) ? named : nil
        }
        if let machine, name != nil {
            console.say("to use another directory than that of \(machine.path), write `users:` into \(path)")
        }
        let file = machine ?? (name == nil ? (path, before) : nil)
        var found =
            try file.map { [DiscoveredDirectory(in: $0.configuration, path: $0.path)].compactMap(\.self) }
            ?? discovered(name ?? "", console, probes)
        guard !found.isEmpty else {
            throw CommandError(
                "no directory is named yet", .usage,
                advice: "give a domain or an address: `userctl connect example.org`")
        }
        if let clientID { found = try found.naming(client: clientID.trimmingBlanks()) }
        if forAdministrator {
            let files = [before] + [console.directoryFile?.configuration].compactMap(\.self)
            let directory = try found.signingIn(files)
            let letter = AdministratorLetter(
                directory: directory, machines: machines ?? AdministratorLetter.machines)
            return try console.print(letter.lines())
        }
        for (number, directory) in found.enumerated() {
            try console.print(
                "\(number + 1)  \(directory.name) (\(directory.certainty.rawValue)): \(directory.because)")
            guard !changes, name != nil else { continue }
            try session.show(directory.settings)
            if !directory.needed.isEmpty {
                try console.print("   and what only you know: \(directory.needed.joined(separator: ", "))")
            }
        }
        guard changes else { return }
        let known = found.filter { $0.isNamed(in: before) }
        let directory = known.count == 1 ? known[0] : try session.dialog.choice(among: found)
        guard let plan = try session.plan(directory, before, machine: machine?.configuration) else {
            throw ConnectDialog.declined
        }
        if withToken, plan.secret?.isNew != true {
            throw CommandError(
                "\(directory.name) asks for no token", .usage, advice: "leave out --with-token")
        }
        try await session.connect(plan)
    }

    private func discovered(
        _ name: String, _ console: Console, _ probes: DoctorProbes
    ) throws -> [DiscoveredDirectory] {
        console.say("asking what \(name) leads to; a server that stays silent is left after 10 seconds")
        var found = try probes.discovered(name, asksMicrosoft: askMicrosoft)
        found.offerTickets(of: Klist(probes).realm, domain: name)
        // The failure of an address, such as an expired certificate, is said alone.
        if found.directories.isEmpty, name.contains(where: { $0 == "/" || $0 == ":" }),
            let reason = found.complaints.first
        {
            throw CommandError(reason, .failed)
        }
        for complaint in found.complaints { console.say(complaint) }
        guard found.directories.isEmpty else { return found.directories }
        throw CommandError(
            "no directory of \(name) was found", .failed,
            advice:
                "name the address of its list of users, or write config.yaml yourself: `userd --default-config`",
            "if it uses Microsoft 365, `userctl connect \(name) --ask-microsoft` asks Microsoft for it")
    }

    private func session(
        _ file: ConfigurationFile, _ console: Console, _ probes: DoctorProbes
    ) -> ConnectSession {
        let (folder, home) = (parent(of: file.path), console.environment.value("HOME"))
        var dialog = ConnectDialog(
            ask: console.answer,
            askHidden: { console.typedLine(withToken ? "" : $0, isShown: false) }, say: console.say,
            certificate: probes.certificate, canAsk: !withToken, folder: folder, home: home)
        dialog.tellAdministrator = { directory in
            console.say(
                "without a client id nobody can sign in; send this to your administrator "
                    + "(--for-administrator prints it again, with the link once there is an id):")
            try console.print([""] + AdministratorLetter(directory: directory).lines())
        }
        var session = ConnectSession(
            console: console, probes: probes, dialog: dialog, file: file, paths: paths, way: way)
        session.dialog.isHidden = { [session] path in
            let isOpened = SecretKind.allCases.contains { kind in
                console.dropIn(kind.file).flatMap(console.file) == Array(secretDropIn(path).utf8)
            }
            return !isOpened && Sandbox(home: home, folder: folder).hides(path) && session.isUnderSystemd
        }
        return session
    }
}
