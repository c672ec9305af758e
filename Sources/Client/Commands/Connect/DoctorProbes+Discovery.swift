import CommandSupport
import Diagnostics
import Model
import UserdAPI

extension DoctorProbes {
    /// Runs `userd --discover`. Throws `CommandError`.
    package func discovered(_ name: String, asksMicrosoft: Bool) throws -> Discovered {
        guard let userd = find("userd") else {
            throw CommandError("userd is not installed", .failed, advice: "install userd beside userctl")
        }
        let ended: ProgramRun
        do {
            // A name that begins with a dash is no option.
            let arguments = (asksMicrosoft ? ["--ask-microsoft"] : []) + ["--discover=\(name)"]
            ended = try run(userd, arguments, .seconds(120))
        } catch { throw CommandError("\(userd): \(error)", .failed) }
        guard ended.code == 0 else {
            throw CommandError(
                String(ended.complaint.trimmingPrefix("userd: ")), ended.code == 64 ? .usage : .failed)
        }
        guard let found = try? decoded(Discovered.self, from: Array(ended.output.utf8)) else {
            throw CommandError("unrecognised output of \(userd): version mismatch?", .failed)
        }
        return found
    }
}
