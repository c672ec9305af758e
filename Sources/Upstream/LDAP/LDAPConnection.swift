import CLDAP
import Glibc
import HTTP
import Model

/// A connection to a directory, confined to one thread. Its calls block; the cancellable that holds it can
/// end them.
final class LDAPConnection {
    let settings: LDAPSettings
    let handle: OpaquePointer
    let socketAddress: [UInt8]
    private let descriptor: CInt
    private weak var cancellable: CancellableSocket?
    /// Why a login by a ticket failed. libkrb5 may take longer than the login may, but says more than that it is late.
    private var ticketFailure: (any Error)?

    /// - Parameters:
    ///   - route: where to begin; becomes where it ended.
    ///   - servers: among which the time to reach one is shared.
    static func connectedToHost(
        _ settings: LDAPSettings, _ cancellable: CancellableSocket, login: Login?, binds: Bool,
        _ route: inout Route, servers: Int = 1
    ) throws -> LDAPConnection {
        var (settings, places) = (settings, try Socket.places(of: settings))
        let host = settings.address.host
        // DNS alone knows the final dot: certificates and Kerberos have names without it.
        if settings.address.scheme != .ldapi, host.hasSuffix(".") { settings.address.host.removeLast() }
        if let last = route.last, last.host == host,
            let index = places.firstIndex(of: last.socketAddress)
        {
            places.swapAt(0, index)
        }
        let silent = places.filter { Place(host: host, socketAddress: $0) == route.silent }
        places = places.filter { !silent.contains($0) } + silent
        let share = max(.seconds(1), settings.connectTimeout / max(1, places.count * servers))
        var failure: any Error = UpstreamError(.offline, "\(settings.address.server) has no address")
        for socketAddress in places {
            route.last = Place(host: host, socketAddress: socketAddress)
            do {
                return try LDAPConnection(
                    settings, cancellable, socketAddress, within: share, login: login, binds: binds)
            } catch {
                guard isOfAddress(error, login), !cancellable.isCut else { throw error }
                // A refused certificate says more than an address that does not answer.
                if (failure as? UpstreamError)?.failure.kind != .tls { failure = error }
            }
        }
        throw failure
    }

    /// Whether another address of the server may work.
    static func isOfAddress(_ error: any Error, _ login: Login?) -> Bool {
        if login?.rest != nil { return false }
        if let error = error as? ResultError { return error.code.isPassing }
        guard let kind = (error as? UpstreamError)?.failure.kind else { return false }
        return [.offline, .timeout, .tls].contains(kind)
    }

    private init(
        _ settings: LDAPSettings, _ cancellable: CancellableSocket, _ socketAddress: [UInt8],
        within share: Duration,
        login: Login?, binds: Bool
    ) throws {
        (self.settings, self.socketAddress) = (settings, socketAddress)
        (handle, descriptor) = try Self.open(settings, cancellable, socketAddress, within: share)
        self.cancellable = cancellable
        let limit = settings.connectTimeout
        let late = UpstreamError(
            .timeout,
            "\(settings.address.server) did not complete the TLS handshake and the login in \(limit)")
        try cancellable.limit(limit, late: ticketFailure ?? late) {
            if settings.isEncrypted { try encrypt(cancellable) }
            if binds { try bind(login) }
        }
    }

    deinit {
        cancellable?.release()
        _ = libldap.ldap_unbind_ext(handle, nil, nil)
    }

    /// Lets the cancellable end calls that block from now on.
    func hold(_ cancellable: CancellableSocket) {
        self.cancellable = cancellable
        cancellable.hold(descriptor)
    }

    static func open(
        _ settings: LDAPSettings, _ cancellable: CancellableSocket, _ socketAddress: [UInt8],
        within limit: Duration,
        verifies: Bool = true
    ) throws -> (OpaquePointer, CInt) {
        try Library.open()
        let socket = try Socket.connected(to: socketAddress, settings, within: limit, cancellable)
        var handle: OpaquePointer?
        let kind = settings.address.scheme == .ldapi ? LDAP_PROTO_IPC : LDAP_PROTO_TCP
        let code = libldap.ldap_init_fd(socket.descriptor, kind, settings.address.server, &handle)
        guard code == LDAP_SUCCESS, let handle else {
            cancellable.release()
            throw UpstreamError.local(code, "", settings, errno: errno)
        }
        let descriptor = socket.take()
        do {
            try configure(handle, settings, verifies: verifies)
        } catch {
            cancellable.release()
            _ = libldap.ldap_unbind_ext(handle, nil, nil)
            throw error
        }
        return (handle, descriptor)
    }

    private static func configure(
        _ handle: OpaquePointer, _ settings: LDAPSettings, verifies: Bool
    ) throws {
        var codes = [libldap.ldap_set_option(handle, LDAP_OPT_REFERRALS, nil)]
        func set(_ option: CInt, _ value: CInt) {
            withUnsafePointer(to: value) { codes.append(libldap.ldap_set_option(handle, option, $0)) }
        }
        set(LDAP_OPT_PROTOCOL_VERSION, LDAP_VERSION3)
        var sockbuf: OpaquePointer?
        if libldap.ldap_get_option(handle, LDAP_OPT_SOCKBUF, &sockbuf) == LDAP_SUCCESS {
            var most = ber_len_t(settings.maximumEntryBytes)
            _ = libldap.ber_sockbuf_ctrl(sockbuf, LBER_SB_OPT_SET_MAX_INCOMING, &most)
        }
        if settings.isEncrypted { codes += configureTLS(handle, settings, verifies: verifies) }
        if let code = codes.first(where: { $0 != LDAP_SUCCESS }) {
            throw UpstreamError(.tls, "can't set up TLS for \(settings.address.server) (\(code))")
        }
    }

    // MARK: Login

    /// Reads the password. Throws if the connection would not be encrypted.
    static func password(_ settings: LDAPSettings) throws -> LDAPSettings.Credentials.Password? {
        guard let credentials = settings.credentials else { return nil }
        guard settings.isEncrypted || settings.address.isThisMachine else {
            throw UpstreamError.credentials(
                """
                the password of users.bind_dn is not sent to \(settings.address.server), because the connection is not \
                encrypted; set users.starttls, or an ldaps:// address in users.url
                """)
        }
        do { return try credentials.password() } catch {
            throw UpstreamError.credentials("there is no password for users.bind_dn: \(error)")
        }
    }

    private func bind(_ login: Login?) throws {
        if settings.usesTicket { return try bindByTicket() }
        var message: CInt = 0
        let code: CInt
        if let credentials = settings.credentials, let login {
            try login.send()
            code = login.password.withValue {
                libldap.ldap_sasl_bind(handle, credentials.dn, nil, $0, nil, nil, &message)
            }
        } else if settings.address.scheme == .ldapi {
            code = "".withValue { libldap.ldap_sasl_bind(handle, nil, "EXTERNAL", $0, nil, nil, &message) }
        } else {
            return
        }
        guard code == LDAP_SUCCESS else { throw UpstreamError.local(code, said, settings, errno: errno) }
        let answer = try next(message)
        defer { _ = libldap.ldap_msgfree(answer) }
        let (result, said) = try outcome(answer)
        guard result == LDAP_SUCCESS else {
            let error = ResultError(code: ResultCode(value: result), said: said)
            let reason = UpstreamError(error, from: settings.address).failure.reason
            if error.code.isRefusal { login?.refused(reason) } else { login?.answered(reason) }
            throw error
        }
        login?.accepted()
    }

    private func bindByTicket() throws {
        let code = Ticket.bind(handle, settings)
        guard code != LDAP_SUCCESS else { return }
        let fault = errno
        if let failure = Ticket.failure(code, said, settings) {
            ticketFailure = failure
            throw failure
        }
        // A result of the server is positive, an error of libldap negative.
        if code > 0 {
            let isOfTLS = settings.isEncrypted && [8, 53].contains(code)
            throw isOfTLS
                ? UpstreamError(
                    .ldap,
                    """
                    \(settings.address.server) refuses a login by a Kerberos ticket inside TLS (\(ResultCode(value: code)))
                    """, advice: .tryPlainLDAP)
                : ResultError(code: ResultCode(value: code), said: said)
        }
        throw UpstreamError.local(code, said, settings, errno: fault)
    }

    // MARK: Answers

    /// The next part of the answer to a request.
    /// - Parameter message: the request; LDAP_RES_ANY for that of any request.
    func next(_ message: CInt, entries: Int = 0) throws -> OpaquePointer {
        var answer: OpaquePointer?
        errno = 0
        guard libldap.ldap_result(handle, message, LDAP_MSG_ONE, nil, &answer) > 0, let answer else {
            let fault = errno
            var code: CInt = 0
            _ = libldap.ldap_get_option(handle, LDAP_OPT_RESULT_CODE, &code)
            throw UpstreamError.local(code, said, settings, errno: fault, entries: entries)
        }
        return answer
    }

    /// The result in the last part of an answer.
    func outcome(
        _ answer: OpaquePointer,
        controls: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<LDAPControl>?>?>? = nil
    ) throws -> (code: CInt, said: String) {
        var (code, said) = (CInt(0), UnsafeMutablePointer<CChar>?.none)
        let parsed = libldap.ldap_parse_result(handle, answer, &code, nil, &said, nil, controls, 0)
        defer { libldap.ldap_memfree(said) }
        guard parsed == LDAP_SUCCESS else { throw UpstreamError.local(parsed, "", settings, errno: errno) }
        return (code, said.map { String(cString: $0) } ?? "")
    }

    var said: String { text(LDAP_OPT_DIAGNOSTIC_MESSAGE) ?? "" }

    var place: Place { Place(host: settings.address.host, socketAddress: socketAddress) }

    /// Whose ticket has logged in; nil without a ticket.
    var ticketHolder: String? { settings.usesTicket ? text(CInt(LDAP_OPT_X_SASL_USERNAME)) : nil }

    private func text(_ option: CInt) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        _ = libldap.ldap_get_option(handle, option, &text)
        defer { libldap.ldap_memfree(text) }
        return text.map { String(cString: $0) }
    }
}

extension String {
    fileprivate func withValue<Result>(_ body: (UnsafeMutablePointer<berval>) -> Result) -> Result {
        var bytes = Array(utf8CString)
        return bytes.withUnsafeMutableBufferPointer { bytes in
            var value = berval(bv_len: ber_len_t(bytes.count - 1), bv_val: bytes.baseAddress)
            return body(&value)
        }
    }
}

extension timeval {
    /// Rounds up to whole seconds, LDAP's unit; at least one.
    init(_ duration: Duration) {
        self.init(tv_sec: max(1, Int((duration.inSeconds).rounded(.up))), tv_usec: 0)
    }
}
