/// A word of a command line that people copy into their shells, whatever upstream has put into it.
///
/// Plain is what no shell takes for anything but itself. What is not ASCII is quoted: blanks that are no ASCII are copied
/// as others, and a quote shows where they belong. zsh takes a leading `=` for the path of a program.
func shellQuoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "@%+:,./_-".utf8.contains($0)
        }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
}
