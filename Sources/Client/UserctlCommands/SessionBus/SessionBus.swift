import CSystemd
import Glibc
import Model

/// libsystemd, opened at the first use, so that userctl also runs on machines that lack it. There, its functions are nil, and
/// no `SessionBus` can be made.
let libsystemd: csystemd = {
    var functions = csystemd()
    guard let library = dlopen("libsystemd.so.0", RTLD_NOW), csystemd_find(library, &functions) != 0 else {
        return csystemd()
    }
    return functions
}()

/// A failure of sd-bus, or one that it sends to a caller.
struct BusError: Error, Hashable {
    /// The negative errno that sd-bus knows it by.
    let code: Int32
    /// The error's name on the bus, if it came from there or goes there.
    var name: String?

    static let wrongArguments = BusError(code: -EINVAL)
    static let accessDenied = BusError(code: -EACCES, name: "org.freedesktop.DBus.Error.AccessDenied")
}

/// Throws sd-bus's failures.
@discardableResult func checkedBus(_ result: Int32) throws -> Int32 {
    guard result >= 0 else { throw BusError(code: result) }
    return result
}

/// A connection to the D-Bus of the person's session, through libsystemd. Stays on the thread that made it.
final class SessionBus {
    /// Whether the call was answered, or will be. sd-bus answers all others with the error that fits.
    typealias Handler = (BusMessage) throws -> Bool

    let bus: OpaquePointer
    /// Kept as long as the connection, which has pointers to them.
    private var callbacks: [Callback] = []

    init(address: String) throws {
        guard libsystemd.sd_bus_new != nil else { throw BusError(code: -ENOSYS) }
        var made: OpaquePointer?
        try checkedBus(libsystemd.sd_bus_new(&made))
        guard let made else { throw BusError(code: -ENOMEM) }
        bus = made
        try checkedBus(libsystemd.sd_bus_set_address(bus, address))
        try checkedBus(libsystemd.sd_bus_set_bus_client(bus, 1))
        try checkedBus(libsystemd.sd_bus_start(bus))
    }

    deinit { _ = libsystemd.sd_bus_flush_close_unref(bus) }

    /// The address from the environment, else the usual one; nil outside of a session.
    static func address(_ environment: Environment) -> String? {
        if let address = environment.value("DBUS_SESSION_BUS_ADDRESS") { return address }
        return environment.value("XDG_RUNTIME_DIR").map {
            "unix:path=" + $0.percentEncoded { $0.isAlphanumeric || "-_/.\\*".utf8.contains($0) } + "/bus"
        }
    }

    /// Fails if another program has the name.
    func request(name: String) throws { try checkedBus(libsystemd.sd_bus_request_name(bus, name, 0)) }

    func release(name: String) throws { try checkedBus(libsystemd.sd_bus_release_name(bus, name)) }

    /// Has all calls to the object handled.
    func export(_ path: String, _ handler: @escaping Handler) throws {
        try checkedBus(libsystemd.sd_bus_add_object(bus, nil, path, answered, kept(handler)))
    }

    func match(
        _ sender: String, _ path: String, _ interface: String, _ member: String,
        _ handler: @escaping (BusMessage) throws -> Void
    ) throws {
        let callback = kept {
            try handler($0)
            return false
        }
        try checkedBus(
            libsystemd.sd_bus_match_signal(bus, nil, sender, path, interface, member, answered, callback))
    }

    private func kept(_ handler: @escaping Handler) -> UnsafeMutableRawPointer {
        let callback = Callback(handler)
        callbacks.append(callback)
        return Unmanaged.passUnretained(callback).toOpaque()
    }

    /// Calls a method of another program, and waits for its answer.
    @discardableResult
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, within limit: Duration,
        _ fill: (BusMessage) throws -> Void = { _ in }
    ) throws -> BusMessage {
        var made: OpaquePointer?
        try checkedBus(
            libsystemd.sd_bus_message_new_method_call(bus, &made, destination, path, interface, member))
        let call = try BusMessage(owned: made)
        try fill(call)
        var failure = sd_bus_error()
        var reply: OpaquePointer?
        defer { libsystemd.sd_bus_error_free(&failure) }
        let code = libsystemd.sd_bus_call(bus, call.pointer, limit.microseconds, &failure, &reply)
        guard code >= 0 else {
            throw BusError(code: code, name: failure.name.map { String(cString: $0) })
        }
        return try BusMessage(owned: reply)
    }

    /// The unique name of the connection that has this name now; nil if none has.
    func owner(of name: String) -> String? {
        let (daemon, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        let reply = try? call(daemon, path, daemon, "GetNameOwner", within: .seconds(1)) {
            try $0.append(name)
        }
        return try? reply?.string()
    }

    /// Handles messages, and calls `settle` each time when all that had come are handled.
    /// - Parameters:
    ///   - limit: ends when no message came for so long.
    ///   - settle: false ends it, too.
    func handle(untilIdleFor limit: Duration, settle: () async throws -> Bool) async throws {
        var deadline = ContinuousClock.now + limit
        while true {
            if try handleAll() {
                guard try await settle() else { return }
                deadline = ContinuousClock.now + limit
                continue
            }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return }
            try wait(left)
        }
    }

    /// Handles what has come, but no more than some tens of messages: who sends without end would keep all others waiting.
    /// - Returns: whether there was anything.
    @discardableResult
    func handleAll() throws -> Bool {
        var handled = 0
        while handled < 50, try checkedBus(libsystemd.sd_bus_process(bus, nil)) > 0 { handled += 1 }
        return handled > 0
    }

    /// Waits until a message comes, but no longer than the limit.
    func wait(_ limit: Duration) throws {
        let code = libsystemd.sd_bus_wait(bus, limit.microseconds)
        if code != -EINTR { try checkedBus(code) }
    }
}

/// The context of C's callback.
private final class Callback {
    let handler: SessionBus.Handler
    init(_ handler: @escaping SessionBus.Handler) { self.handler = handler }
}

/// Called by sd-bus. 1: the call was answered; 0: it is left to sd-bus; else sd-bus answers with this error.
private func answered(
    _ message: OpaquePointer?, _ callback: UnsafeMutableRawPointer?,
    _ failure: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let callback else { return 0 }
    let handler = Unmanaged<Callback>.fromOpaque(callback).takeUnretainedValue().handler
    do {
        return try handler(BusMessage(shared: message)) ? 1 : 0
    } catch let error as BusError {
        guard let name = error.name else { return error.code }
        return libsystemd.sd_bus_error_set(failure, name, nil)
    } catch {
        return -EIO
    }
}

extension Duration {
    fileprivate var microseconds: UInt64 { UInt64(max(0, self / .microseconds(1))) }
}
