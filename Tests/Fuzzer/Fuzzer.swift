import Fuzzing

/// libFuzzer around one target: `--connection`, say, and then libFuzzer's own arguments.
@main enum Fuzzer {
    static let target = CommandLine.arguments.lazy.compactMap { argument in
        FuzzTarget(rawValue: String(argument.trimmingPrefix("--")))
    }.first

    static func main() {
        guard target != nil else { fatalError("which target?") }
        var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
        _ = runFuzzer(&count, &arguments, testOneInput)
    }
}

/// What libFuzzer's own main would call, too: nobody does, but the linker wants it.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try Fuzzer.target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    } catch {
        fatalError("\(error)")
    }
}

/// SwiftPM gives an executable's main a name of its own, so that libFuzzer's main cannot be the program's.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
