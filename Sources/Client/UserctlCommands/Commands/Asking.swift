import Glibc
import Model

extension Console {
    var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The line that a person types; nil at the end of the input.
    func answer(to question: String) -> String? {
        try? errors.write(Array(question.utf8))
        return readLine()?.trimmingBlanks()
    }

    /// Goes on only if a person agrees to what was explained before, without a default. Throws if they don't, or if nobody
    /// can be asked.
    /// - Parameter command: agrees without a question.
    func requireAgreement(_ question: String, command: String) throws {
        let nothing = "nothing was changed"
        guard canAsk else {
            say(question)
            throw CommandError(nothing, .failed, advice: "`\(command)` agrees")
        }
        guard let answer = answer(to: question + " [y/N] ")?.lowercased(), ["y", "yes"].contains(answer)
        else {
            throw CommandError(nothing, .failed)
        }
    }
}
