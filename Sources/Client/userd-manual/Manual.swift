import Model

/// A program's manual page, made from its help.
struct Manual {
    let command: CommandInfo
    /// Pages of section 1.
    let seeAlso: [String]
    /// In the format of .Dd: `November 21, 2026`.
    let date: String

    /// In mdoc(7)'s order. A discussion's other sections come before them.
    private static let lastSections = ["Environment", "Files", "Exit status", "Examples"]

    var text: String {
        let discussion = Discussion(command.discussion ?? "")
        let commands = shownCommands(of: command)
        var page = Page()
        page.macro("Dd", [date])
        page.macro("Dt", [command.commandName.uppercased(), "1"])
        page.macro("Os", [quoted("userd \(version)")])
        page.section("Name")
        page.macro("Nm", [command.commandName])
        page.macro("Nd", [escaped((command.abstract ?? "").asPhrase)])
        page.section("Synopsis")
        page.macro("Nm")
        for argument in shown(command) where argument.kind == "positional" { page.synopsis(argument) }
        if commands.isEmpty {
            page.macro("Op", ["Ar", "options"])
        } else {
            page.macro("Ar", ["command"])
            page.macro("Op", ["Ar", "options"])
        }
        page.section("Description")
        page.paragraphs(discussion.paragraphs)
        if !commands.isEmpty { page.section("Commands") }
        for command in commands { page.command(command, []) }
        for (title, arguments) in titled(shown(command).filter { $0.kind != "positional" }) {
            page.section(title)
            page.arguments(arguments)
        }
        let sections =
            discussion.sections.filter { !Self.lastSections.contains($0.title) }
            + Self.lastSections.compactMap { title in discussion.sections.first { $0.title == title } }
        for section in sections {
            page.section(section.title)
            if section.title == "Examples" {
                page.literal(section.lines)
            } else {
                page.list(section.terms, tag: { [quoted($0.term)] }, body: { $0.write($1.meaning) })
            }
        }
        if !seeAlso.isEmpty {
            page.section("See also")
            for name in seeAlso { page.macro("Xr", [name, "1"] + (name == seeAlso.last ? [] : [","])) }
        }
        return page.text
    }

    /// The arguments by their section of the help, in its order.
    private func titled(_ arguments: [ArgumentInfo]) -> [(String, [ArgumentInfo])] {
        var titles: [String] = []
        for argument in arguments where !titles.contains(argument.title) { titles.append(argument.title) }
        return titles.map { title in (title, arguments.filter { $0.title == title }) }
    }
}

private func shownCommands(of command: CommandInfo) -> [CommandInfo] {
    (command.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
}

private func shown(_ command: CommandInfo) -> [ArgumentInfo] {
    (command.arguments ?? []).filter(\.shouldDisplay)
}

extension Page {
    /// - Parameter above: the names of the parent commands.
    fileprivate mutating func command(_ command: CommandInfo, _ above: [String]) {
        let commands = shownCommands(of: command)
        let names = above + [command.commandName]
        // Every command has these two; the page lists them once.
        let arguments = shown(command).filter { !["help", "version"].contains($0.names?.last?.name) }
        let discussion = Discussion(command.discussion ?? "")
        macro("Ss", [quoted(names.joined(separator: " "))])
        macro("Nm")
        macro("Cm", names.map { escaped($0) })
        if !commands.isEmpty { macro("Ar", ["command"]) }
        for argument in arguments where argument.kind == "positional" { synopsis(argument) }
        if arguments.contains(where: { $0.kind != "positional" }) { macro("Op", ["Ar", "options"]) }
        macro("Pp")
        paragraphs([command.abstract ?? ""] + discussion.paragraphs)
        if !arguments.isEmpty { self.arguments(arguments) }
        for section in discussion.sections {
            macro("Pp")
            write(section.title + ":")
            literal(section.lines)
        }
        for command in commands { self.command(command, names) }
    }

    fileprivate mutating func synopsis(_ argument: ArgumentInfo) {
        let name = argument.value + (argument.isRepeating ? ["..."] : [])
        macro(argument.isOptional ? "Op" : name[0], argument.isOptional ? name : Array(name.dropFirst()))
    }

    fileprivate mutating func arguments(_ arguments: [ArgumentInfo]) {
        list(arguments, tag: \.tag) { page, argument in
            page.write([argument.abstract, argument.values].compactMap { $0 }.joined(separator: " "))
            if let discussion = argument.discussion {
                page.macro("Pp")
                page.paragraphs(Discussion(discussion).paragraphs)
            }
        }
    }
}

extension ArgumentInfo {
    fileprivate var title: String { sectionTitle ?? "Options" }

    fileprivate var value: [String] { ["Ar", quoted(valueName ?? "")] }

    /// `Fl h , Fl -help`, `Fl -limit Ar number`.
    fileprivate var tag: [String] {
        guard let names else { return value }
        let flags = names.map { ["Fl", escaped($0.kind == "long" ? "-" + $0.name : $0.name)] }
        return Array(flags.joined(separator: [","])) + (kind == "option" ? value : [])
    }

    /// The part of --help in brackets, unless the abstract has it.
    fileprivate var values: String? {
        if abstract?.contains("(default: ") == true { return nil }
        let facts = [
            allValues.map { "values: " + $0.joined(separator: ", ") }, defaultValue.map { "default: \($0)" },
        ]
        .compactMap { $0 }
        return facts.isEmpty ? nil : "(\(facts.joined(separator: "; ")))"
    }
}

extension String {
    /// `Look at it.` as `look at it`.
    fileprivate var asPhrase: String {
        prefix(1).lowercased() + dropFirst().prefix(hasSuffix(".") ? count - 2 : count)
    }
}
