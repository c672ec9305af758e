import ArgumentParser

package struct CompletionCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print what completes userctl's command lines in a shell.",
        discussion: """
            Commands, options and their values are completed, and the keys of users from the cache. `make install` puts \
            the scripts where bash (with its package bash-completion), zsh and fish look for them; otherwise each shell \
            can read its own when it starts.

            Examples:
              userctl completion bash > ~/.local/share/bash-completion/completions/userctl
              userctl completion zsh > ~/.zfunc/_userctl
              userctl completion fish > ~/.config/fish/completions/userctl.fish
              eval "$(userctl completion bash)"

            zsh looks in ~/.zfunc where ~/.zshrc has fpath+=~/.zfunc before compinit. The last is for a ~/.bashrc, where \
            there is no bash-completion.
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "The shell to print for.")
    var shell: Shell

    package init() {}

    package func run() async throws {
        try Console.current.output.write(Array(shell.script.utf8))
    }
}

extension CompletionCommand.Shell {
    fileprivate var script: String {
        switch self {
        case .bash: mendedBashScript(Userctl.completionScript(for: .bash))
        case .zsh: mendedZshScript(Userctl.completionScript(for: .zsh))
        case .fish: Userctl.completionScript(for: .fish) + "\n"
        }
    }
}
