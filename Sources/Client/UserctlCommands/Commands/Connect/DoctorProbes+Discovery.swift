import Glibc
import Model
import Platform
import UserdAPI

/// The questions that `connect` has userd answer. Throws `CommandError`.
extension DoctorProbes {
    func discovered(_ name: String, asksMicrosoft: Bool) throws -> Discovered {
        // A name that begins with a dash is no option.
        let arguments = (asksMicrosoft ? ["--ask-microsoft"] : []) + ["--discover=\(name)"]
        return try answer(to: arguments, within: .seconds(120))
    }

    /// The owner and issuer of the certificate of the server that a secret would go to, in a few words.
    func certificate(of address: String) throws -> String {
        try ended(["--certificate=\(address)"], [], within: .seconds(60)).output.trimmingBlanks()
    }

    /// The result of trying a configuration.
    enum Trial {
        /// - Parameters:
        ///   - first: the first people.
        ///   - total: nil if the list does not say.
        case found(first: [String], total: Int?)
        /// - Parameter isOfSecret: whether another secret may help.
        case failed(String, isOfSecret: Bool)
    }

    /// Has userd try the users of a configuration that is not written yet. A signal that ends the program waits until the
    /// file for it is removed.
    ///
    /// - Parameter file: where the configuration will be.
    func trial(_ text: [UInt8], at file: String, _ secret: GivenSecret?) throws -> Trial {
        // A folder without secrets, which the trial would find.
        let folder = OwnFolder.ofTrials(in: parent(of: file))
        let new = folder + "/config-\(UInt64.random(in: 0 ... .max)).yaml"
        let checks: UpstreamChecks = try blockingSignals {
            try makePrivateFolder(folder)
            defer {
                unlink(new)
                rmdir(folder)
            }
            try writeAtomically(text, to: new, isPrivate: true)
            // The trial of a file that exists counts for userd.
            let fed = secret.flatMap { $0.isNew ? $0 : nil }
            let option = fed.map { ["--secret-on-stdin", $0.kind.setting] } ?? []
            do {
                return try answer(
                    to: ["--check-upstream", "--config", new, "--with-machine-config"] + option,
                    fed?.text ?? [], within: .seconds(180))
            } catch let error as CommandError {
                throw CommandError(error.message.replacing(new, with: file), .failed, advice: error.advice)
            }
        }
        guard let users = checks.upstreams.first(where: { $0.setting == "users.url" }) else {
            throw Self.unrecognised
        }
        if let step = users.steps.first(where: { $0.failure != nil }), let failure = step.failure {
            return .failed(failure.message, isOfSecret: failure.isAboutCredentials)
        }
        guard let sample = users.sample, !sample.users.isEmpty else {
            return .failed("\(users.address) answers, but with no users", isOfSecret: false)
        }
        let names = sample.users.prefix(3).map { user in
            [user.displayName ?? "", user.name.untitled, user.username ?? ""].first { !$0.isEmpty } ?? user.id
        }
        return .found(first: names, total: sample.list?.total)
    }

    private func answer<Answer: Decodable>(
        to arguments: [String], _ input: [UInt8] = [], within limit: Duration
    ) throws -> Answer {
        let ended = try ended(arguments, input, within: limit)
        guard let answer = try? decoded(Answer.self, from: Array(ended.output.utf8)) else {
            throw Self.unrecognised
        }
        return answer
    }

    private func ended(
        _ arguments: [String], _ input: [UInt8], within limit: Duration
    ) throws -> ProgramRun {
        guard let userd = find("userd") else {
            throw CommandError("userd is not installed", .failed, advice: "install userd beside userctl")
        }
        let ended: ProgramRun
        do { ended = try run(userd, arguments, input, limit) } catch let error as ProgramRunError {
            throw CommandError("\(userd): \(error)", .failed)
        }
        // A check that fails ends with 1, and its answer says why.
        if ended.code == 0 || ended.code == 1 && !ended.output.isEmpty { return ended }
        throw CommandError(
            String(ended.complaint.trimmingPrefix("userd: ")), ended.code == 64 ? .usage : .failed)
    }

    private static let unrecognised = CommandError(
        "unrecognised output of userd: version mismatch?", .failed)
}

extension Discovered {
    /// Leaves out directories by ticket unless there is one of the domain's realm.
    /// - Parameter domain: or an address within it.
    mutating func offerTickets(of realm: String?, domain: String) {
        guard realm?.lowercased() != (domain.split(separator: "@").last ?? "").lowercased() else { return }
        directories.removeAll { $0.settings.value(of: "users.sasl") != nil }
    }
}
