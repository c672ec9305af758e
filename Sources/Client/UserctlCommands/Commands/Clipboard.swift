/// Copies text with the programs of the session: `wl-copy` on Wayland, `xclip` or `xsel` on X, and `tmux`. Only those are
/// run whose display or server the environment names, and which are in `PATH`.
struct Clipboard: Sendable {
    /// Runs a program with a text as its standard input. Throws a `CommandError` if it fails.
    typealias Run =
        @Sendable (_ path: String, _ arguments: [String], _ input: String) throws(CommandError) -> Void

    let environment: Environment
    let run: Run

    static func live(_ environment: Environment) -> Clipboard {
        Clipboard(environment: environment) { path, arguments, input throws(CommandError) in
            let ended: ProgramRun
            do throws(ProgramRunError) {
                ended = try ProgramRun.of(
                    path, arguments, input: Array(input.utf8), environment: environment, isApart: true,
                    within: .seconds(2))
            } catch { throw CommandError("\(error)", .failed) }
            guard ended.code == 0 else { throw CommandError(ended.complaint, .failed) }
        }
    }

    /// A program and the variable that says that it may work.
    private struct Program {
        let variable: String
        let name: String
        let arguments: [String]
    }

    /// Groups of programs; the first of each group that works is enough.
    private static let groups = [
        [
            Program(variable: "WAYLAND_DISPLAY", name: "wl-copy", arguments: []),
            Program(variable: "DISPLAY", name: "xclip", arguments: ["-selection", "clipboard"]),
            Program(variable: "DISPLAY", name: "xsel", arguments: ["--clipboard", "--input"]),
        ],
        // -w passes the text to the terminal outside of tmux.
        [Program(variable: "TMUX", name: "tmux", arguments: ["load-buffer", "-w", "-"])],
    ]

    /// - Parameter name: what the message calls the text.
    /// - Returns: what was done. The caller has also asked the terminal to copy, which gives no answer.
    func copy(_ text: String, named name: String) -> String {
        var (used, complaints) = ([String](), [String]())
        for group in Self.groups {
            for program in group where environment.value(program.variable) != nil {
                guard let path = ProgramRun.find(program.name, in: environment.value("PATH") ?? "") else {
                    continue
                }
                do throws(CommandError) {
                    try run(path, program.arguments, text)
                    used.append(program.name)
                    break
                } catch {
                    complaints.append("\(program.name): \(error.message)")
                }
            }
        }
        guard used.isEmpty else { return "copied \(name) with \(used.joined(separator: " and "))" }
        let reasons = complaints.isEmpty ? "" : " (\(complaints.joined(separator: "; ")))"
        return "copied \(name), if the terminal lets programs copy\(reasons)"
    }
}
