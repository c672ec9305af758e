import CLinux
import Glibc

/// Starts a detached thread, which handles no signals. Returns an errno; 0 on success.
/// - Parameter name: at most 15 bytes.
package func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
    final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(name, body))
    let code = pthread_create(
        &thread, nil,
        { argument in
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            guard let argument else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            pthread_setname_np(pthread_self(), start.name)
            start.body()
            return nil
        }, start.toOpaque())
    if code == 0 { pthread_detach(thread) } else { start.release() }
    return code
}
