import FoundationEssentials
import Glibc
import HTTP
import Logging
import Model
import Platform
import Sync
import Upstream

extension Authorization {
    /// The authorization that the settings of users describe: a token from a file or endpoint, a password, or
    /// headers.
    ///
    /// - Parameters:
    ///   - transport: sends requests to the endpoint.
    ///   - redactor: learns all secrets, those of proxies included.
    ///   - logins: decides whether a password may be sent.
    ///   - signIn: gives the token of a person, if it can.
    init(
        _ settings: Settings, _ client: OAuthClient, transport: HTTPTransport, redactor: SecretRedactor,
        logins: Logins, signIn: SignInService?, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws {
        let users = settings.users
        if let signIn, signIn.canSignIn {
            self = signIn.authorization
        } else if users.oauth.grantInForce == .clientCredentials {
            self = .clientCredentials(client, transport: transport, redactor: redactor, now: now)
        } else if let path = users.tokenFile {
            self = .token(scheme: users.tokenScheme, Secret.reader(.token, path, logger))
        } else if let path = users.basic.passwordFile {
            let read = Secret.reader(.basic, path, logger)
            self = .token(scheme: "Basic") {
                let pair = try (users.basic.user.map { "\($0):" } ?? "") + read()
                let parts = pair.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    throw ExitError(
                        description: "\(path) has no colon; write NAME:PASSWORD, or set users.basic.user")
                }
                // Some APIs take a key as the name, with any password.
                for part in parts.suffix(users.basic.user == nil ? 2 : 1) { redactor.learn(String(part)) }
                return Data(pair.utf8).base64EncodedString()
            }
        } else {
            self = .none
        }
        if users.basicSetting != nil || users.headers?["Authorization"] != nil {
            let origin = HTTPOrigin(try url(users.url))?.text ?? users.url
            let account = "\(origin) \(users.basic.user ?? "")"
            let file = users.basic.passwordFile ?? users.headers?.passwordFile
            login = {
                Login(
                    logins, account, password: $0, version: file.flatMap(Secret.version(of:)),
                    interval: users.usualInterval)
            }
            personAsks = { logins.forget(account) }
        }
        typealias Reader = @Sendable () throws -> String
        let given = (users.headers?.all ?? []).map { name, value -> (name: String, read: Reader) in
            switch value {
            case .text(let text): (name, { text })
            case .file(let path): (name, Secret.reader(.header, path, logger))
            }
        }
        headers = {
            var headers: HTTPHeaders = [:]
            for (name, read) in given {
                do { headers[name] = try read() } catch {
                    throw UpstreamError(
                        .credentials, "there is no \(name) for users.url: \("\(error)".shown(upTo: 300))")
                }
                if Settings.Headers.areOpen(name) { continue }
                let value = headers[name] ?? ""
                redactor.learn(value)
                // Also without the scheme before it.
                if let blank = value.lastIndex(of: " ") {
                    redactor.learn(String(value[blank...].dropFirst()))
                }
            }
            return headers
        }
    }
}

extension Settings.Headers {
    /// The file of the header Authorization, whose scheme may be Basic.
    fileprivate var passwordFile: SecretPath? {
        if case .file(let path)? = self["Authorization"] { path } else { nil }
    }
}

extension Settings {
    /// What is in the files and folders in which new credentials of users may come while userd runs.
    var credentials: CredentialWatch.Contents {
        Dictionary(credentialPlaces.map { ($0, Secret.digests(at: $0)) }) { first, _ in first }
    }

    private var credentialPlaces: [String] {
        guard users.sasl == nil else {
            let name = getenv("KRB5CCNAME").map { String(cString: $0) } ?? ""
            return [(name.isEmpty ? .usual(of: getuid()) : TicketCache(name)).path].compactMap(\.self)
        }
        return secretPaths.filter { $0.use != .addressBook }.map(\.path.text)
    }
}

extension Secret {
    static func version(of path: SecretPath) -> String? {
        path.content == nil ? version(ofFile: path.text) : Login.trial
    }

    /// Differs between versions of a file; nil if there is none.
    static func version(ofFile path: String) -> String? {
        changeTime(ofFile: path).map { "\(path) \($0)" }
    }

    /// Nil if there is no file.
    static func changeTime(ofFile path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// The digests of a file, or of the files in a folder, such as one of Kerberos tickets; empty if nothing can be read.
    fileprivate static func digests(at path: String) -> [Int] {
        let files = [path] + names(in: path).sorted().prefix(100).map { "\(path)/\($0)" }
        return files.compactMap { (try? RegularFile($0, upTo: 128 << 10))?.bytes.hashValue }
    }

    /// Reads the file each time. A warning about its mode is logged only once, now.
    static func reader(_ use: Use, _ path: SecretPath, _ logger: Logger) -> @Sendable () throws -> String {
        for warning in (try? read(use, fromFile: path))?.warnings ?? [] { logger.warning("\(warning)") }
        return { try read(use, fromFile: path).secret.value }
    }
}
