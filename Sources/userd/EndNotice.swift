import ServiceLifecycle
import ServiceManager

/// Tells the service manager of the end when it begins.
struct EndNotice: Service {
    let manager: ServiceManager?

    func run() async throws {
        try? await gracefulShutdown()
        manager?.tell(.stopping(status: "ending"))
    }
}

// The group logs a service with all that is in it unless it has a name.
extension EndNotice: CustomStringConvertible {
    var description: String { "end notice" }
}
