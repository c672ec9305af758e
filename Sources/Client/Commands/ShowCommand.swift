import ArgumentParser

package struct ShowCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one user.",
        discussion: """
            Draws the user's picture, too, if it is at hand and the terminal can show it: see --draw. A key that nobody has \
            is searched for; where several are found, you choose on a terminal, and elsewhere they are listed on stderr.

            Examples:
              userctl show anna@example.com
              userctl show berg
              userctl show happyfrog123 --output json
              userctl show happyfrog123 --output vcard > happyfrog123.vcf
            """)

    @Argument(
        help: "An id, a username, an email address, or a word to search for.", completion: .userKey)
    var key: String

    @OptionGroup var format: FormatOption<UserFormat>
    @OptionGroup var draw: DrawOption
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    package init() {}

    package var showing: UserShowing {
        UserShowing(key: key, format: format.output, draw: draw.draw, quiet: quiet.quiet, paths: paths.paths)
    }

    package func run() async throws { try await showing.run() }
}
