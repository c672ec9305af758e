import FoundationEssentials
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
    /// - Parameter of: the trusted authority that it has certified; nil if it is the server's.
    case unknownAuthority(String?, of: String?)

    /// Nil if the server does not send its certificates within the timeout.
    static func reason(
        at url: URL, within timeout: Duration, trusting roots: TrustRoots, now: Timestamp
    ) async -> CertificateRefusal? {
        guard let chain = try? await presentedCertificates(of: url, within: timeout), let own = chain.first
        else { return nil }
        let current = (roots.certificates + chain).filter {
            Timestamp(unixSeconds: $0.notValidBefore) <= now
                && now <= Timestamp(unixSeconds: $0.notValidAfter)
        }
        for certificate in chain {
            // An authority may have a second certificate, from another authority, that has expired.
            if certificate != own, current.contains(where: { $0.subjectName == certificate.subjectName }) {
                continue
            }
            let name = certificate == own ? nil : shownName(certificate.subjectName) ?? "without a name"
            let start = Timestamp(unixSeconds: certificate.notValidBefore)
            let end = Timestamp(unixSeconds: certificate.notValidAfter)
            if end < now { return .expired(end, name: name, now: now) }
            if now < start { return .notYetValid(start, name: name, now: now) }
        }
        if own.issuerName == own.subjectName { return .selfSigned }
        var last = own
        for _ in chain + roots.certificates {
            guard last.issuerName != last.subjectName,
                let issuer = current.first(where: { $0.subjectName == last.issuerName })
            else { break }
            last = issuer
        }
        let isOurs = last.issuerName != last.subjectName && roots.certificates.contains(last)
        return .unknownAuthority(shownName(last.issuerName), of: isOurs ? shownName(last.subjectName) : nil)
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
        case .unknownAuthority(let name, let trusted):
            "its certificate is from an authority that this machine does not trust"
                + (name.map { ": \($0)" } ?? "")
                + (trusted.map { ", whose certificate must be in the file beside that of \($0)" } ?? "")
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

private func shownName(_ names: [SSLCertificateName]) -> String? {
    certificateName(names).map { "'\($0)'" }
}

/// The common name, or else the organization's.
func certificateName(
    _ names: [SSLCertificateName], orElse other: SSLCertificateNameType? = .organization
) -> String? {
    let name = names.last { $0.type == .commonName } ?? names.last { $0.type == other }
    return name.map { shortened($0.value) }
}

/// One line of at most 100 characters.
func shortened(_ name: String) -> String { String(name.shown(upTo: 100).prefix(100)) }
