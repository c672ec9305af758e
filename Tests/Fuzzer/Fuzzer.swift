import Fuzzing

/// libFuzzer for one target, such as `--connection`, which libFuzzer's own arguments follow.
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

/// The linker needs this symbol for libFuzzer's main, which is not called.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try Fuzzer.target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    } catch {
        fatalError("\(error)")
    }
}

/// Runs libFuzzer. SwiftPM renames an executable's main, so libFuzzer's main can't be the program's.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
