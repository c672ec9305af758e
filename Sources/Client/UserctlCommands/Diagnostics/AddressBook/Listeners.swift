/// The TCP ports of this machine at which programs listen, from /proc/net/tcp (proc(5)).
struct Listeners {
    private var users: [Int: UInt32] = [:]

    /// - Parameter tables: contents of /proc/net/tcp and /proc/net/tcp6.
    init(_ tables: [String]) {
        for line in tables.flatMap({ $0.split(separator: "\n").dropFirst() }) {
            // sl local_address rem_address st tx_queue:rx_queue tr:when retrnsmt uid …
            let fields = line.split(separator: " ")
            guard fields.count > 7, fields[3] == "0A",
                let port = fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }),
                let user = UInt32(fields[7])
            else { continue }
            users[port] = user
        }
    }

    /// The user whose program listens at a port; nil if none does.
    func user(at port: Int) -> UInt32? { users[port] }
}
