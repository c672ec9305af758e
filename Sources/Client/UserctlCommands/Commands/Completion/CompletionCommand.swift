import ArgumentParser

struct CompletionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print a shell's completion script.",
        discussion: """
            It completes commands, options and their values, and users' keys from the cache. `make install` installs the \
            scripts where bash (with the package bash-completion), zsh and fish find them; otherwise a shell can read its \
            script when it starts.

            Examples:
              userctl completion bash > ~/.local/share/bash-completion/completions/userctl
              userctl completion zsh > ~/.zfunc/_userctl
              userctl completion fish > ~/.config/fish/completions/userctl.fish
              eval "$(userctl completion bash)"

            zsh needs fpath+=~/.zfunc before compinit in ~/.zshrc. The last example is for a ~/.bashrc without \
            bash-completion.
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        fileprivate var script: String {
            switch self {
            case .bash: patchedBashScript(Userctl.completionScript(for: .bash))
            case .zsh: patchedZshScript(Userctl.completionScript(for: .zsh))
            case .fish: Userctl.completionScript(for: .fish) + "\n"
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() async throws {
        try Console.current.output.write(shell.script)
    }
}
