import FoundationEssentials
import HTTP
import Model
import NIOSSL

/// The reason why a server's certificate was refused, judged only by the certificates.
///
/// BoringSSL only says that the verification failed, so the certificates are requested once more.
enum CertificateRefusal: Hashable {
    /// `name` is the authority's; nil for the server's own certificate.
    case expired(Timestamp, name: String?, now: Timestamp)
    case notYetValid(Timestamp, name: String?, now: Timestamp)
    case selfSigned
    case unknownAuthority(String?)

    /// Nil if the server does not send its certificates within the timeout.
    static func reason(at url: URL, within timeout: Duration, now: Timestamp) async -> CertificateRefusal? {
        guard let chain = try? await presentedCertificates(of: url, within: timeout), let own = chain.first,
            let last = chain.last
        else { return nil }
        for certificate in chain {
            let name = certificate == own ? nil : shownName(certificate.subjectName) ?? "without a name"
            let start = Timestamp(unixSeconds: certificate.notValidBefore)
            let end = Timestamp(unixSeconds: certificate.notValidAfter)
            if end < now { return .expired(end, name: name, now: now) }
            if now < start { return .notYetValid(start, name: name, now: now) }
        }
        return own.issuerName == own.subjectName ? .selfSigned : .unknownAuthority(shownName(last.issuerName))
    }
}

extension CertificateRefusal: CustomStringConvertible {
    /// Continues "no trusted connection to …: ".
    var description: String {
        switch self {
        case .expired(let end, let name, let now):
            "\(whose(name)) expired on \(day(end)); this machine's clock says that it is \(day(now))"
        case .notYetValid(let start, let name, let now):
            "\(whose(name)) is not valid before \(day(start)); this machine's clock says that it is \(day(now))"
        case .selfSigned:
            "its certificate is self-signed, and not trusted on this machine"
        case .unknownAuthority(let name):
            "its certificate is from an authority that this machine does not trust"
                + (name.map { ": \($0)" } ?? "")
        }
    }

    private func whose(_ name: String?) -> String {
        name.map { "the certificate of its authority \($0)" } ?? "its certificate"
    }

    private func day(_ time: Timestamp) -> Substring { time.description.prefix(10) }
}

extension Timestamp {
    fileprivate init(unixSeconds: Int) { self.init(milliseconds: Int64(unixSeconds) &* 1000) }
}

/// The common name, or else the organization's.
private func shownName(_ names: [SSLCertificateName]) -> String? {
    let name = names.last { $0.type == .commonName } ?? names.last { $0.type == .organization }
    return name.map { "'" + $0.value.shown(upTo: 100) + "'" }
}
