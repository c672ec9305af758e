import FoundationEssentials
import Glibc
import HTTP
import Model
import NIOCore
import NIOPosix
import NIOSSL

/// Performs the steps of a connection one by one, each with its own deadline, to find the one that fails. Returns
/// findings for people; throws `UpstreamError`.
package struct UpstreamProbe: Sendable {
    package typealias Reached = (found: String, addresses: [SocketAddress])

    private let url: URL
    private let timeout: Duration
    private let additionalTrustRoots: TrustRoots
    private let proxy: ProxyAddress?

    /// - Parameters:
    ///   - timeout: for each step.
    ///   - additionalTrustRoots: authorities to trust besides the system's.
    ///   - proxy: looked up and connected to in place of the upstream, which only the proxy reaches.
    package init(
        url: URL, timeout: Duration, additionalTrustRoots: TrustRoots = .none, proxy: ProxyAddress? = nil
    ) {
        self.url = url
        self.timeout = timeout
        self.additionalTrustRoots = additionalTrustRoots
        self.proxy = proxy
    }

    package func lookUp() async throws -> Reached {
        let origin = HTTPOrigin(url)
        guard let host = proxy?.host ?? origin?.host, let port = proxy?.port ?? origin?.port else {
            throw UpstreamError(.redirect, "\(url.shown) is not a valid http or https address")
        }
        let what = proxy == nil ? "" : "the proxy "
        if host.isAddress, let address = try? SocketAddress(ipAddress: host.text, port: port) {
            return (found: "\(what)\(host.text) is already an address", addresses: [address])
        }
        do {
            let found = try await addresses(of: host.text, port: port, within: timeout)
            let list = found.prefix(Self.mostAddresses).compactMap(\.ipAddress).joined(separator: ", ")
            return (
                found: "\(what)\(host.text.shown(upTo: 253)) has the address \(list)", addresses: found
            )
        } catch {
            throw UpstreamError(error, host: host.text, what: what)
        }
    }

    /// Tries all addresses at once; one that accepts is enough.
    package func connect(to addresses: [SocketAddress]) async throws -> String {
        let addresses = addresses.prefix(Self.mostAddresses)
        let attempts = await withTaskGroup(of: (Int, Attempt).self) { group in
            for (index, address) in addresses.enumerated() {
                group.addTask { (index, await attempt(address)) }
            }
            var attempts: [Int: Attempt] = [:]
            for await (index, attempt) in group { attempts[index] = attempt }
            return addresses.indices.compactMap { attempts[$0] }
        }
        let found = attempts.map(\.found).joined(separator: "; ")
        guard attempts.contains(where: { $0.failure == nil }) else {
            let isSlow = !attempts.isEmpty && attempts.allSatisfy { $0.failure == .timeout }
            throw UpstreamError(
                isSlow ? .timeout : .offline, found.isEmpty ? "there is no address to connect to" : found)
        }
        return found
    }

    /// Shakes hands. Returns the names of the certificate that is trusted and of its authority, such as `certificate:
    /// idp.example.org, by R11`.
    package func certificate() async throws -> String {
        let start = ContinuousClock.now
        do {
            let found = try await handshake(with: url, within: timeout, trusting: additionalTrustRoots)
            let host = found?._subjectAlternativeNames().first { $0.nameType == .dnsName }.map {
                shortened(String(decoding: $0.contents, as: UTF8.self))
            }
            let subject = found.flatMap { certificateName($0.subjectName, orElse: nil) } ?? host
            let issuer = found.flatMap { certificateName($0.issuerName) }
            return "certificate: \(subject ?? "without a name")" + (issuer.map { ", by \($0)" } ?? "")
        } catch  where isConnectTimeout(error) {
            throw UpstreamError(.timeout, "\(url.shown) did not complete the TLS handshake in \(timeout)")
        } catch {
            let rest = max(.seconds(1), timeout - (ContinuousClock.now - start))
            let limits = HTTPLimits(connectTimeout: rest, deadline: rest, maxResponseBytes: 0)
            throw await failure(
                error, of: HTTPRequest(url: url), limits, trusting: additionalTrustRoots,
                now: Timestamp(Date()))
        }
    }

    /// Maximum number of addresses to try and to list.
    private static let mostAddresses = 8

    private typealias Attempt = (found: String, failure: Failure.Kind?)

    private func attempt(_ address: SocketAddress) async -> Attempt {
        let place = address.ipAddress.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "\(address)"
        let name = "\(place):\(address.port ?? 0)"
        let start = ContinuousClock.now
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(timeout)).connect(to: address).get()
            let elapsed = ContinuousClock.now - start
            try? await channel.close()
            return ("\(name) accepted the connection in \(elapsed.milliseconds) ms", nil)
        } catch let error as IOError where error.errnoCode != ETIMEDOUT {
            let reason = strerror(error.errnoCode).map { String(cString: $0).lowercased() } ?? "unknown error"
            return ("\(name): \(reason)", .offline)
        } catch {
            return ("\(name): no answer in \(timeout)", .timeout)
        }
    }
}
