import TerminalViews

struct KeyHelp: View {
    let purpose: Browser.Purpose

    var body: some View {
        Card("Keys") {
            Fields {
                Field("any letter", "search")
                Field("Up, Down", "previous or next user")
                Field("Page Up, Page Down", "previous or next screen")
                Field("Home, End", "first or last user")
                switch purpose {
                case .browsing: Field("Enter", "show the whole card, or the list again")
                case .choosing: Field("Enter", "choose")
                case .choosingSeveral: Field("Enter", "choose this user, or all marked users")
                }
                if purpose != .choosing {
                    Field("Tab, Shift-Tab", "mark, and go to the next or previous user")
                }
                if purpose == .browsing {
                    Field("on the card: y", "copy the address, or those of all marked users")
                    Field("on the card: t", "copy the telephone number")
                    Field("on the card: m", "write a mail")
                    Field("on the card: v", "save as a vCard in this folder")
                    Field("Ctrl-Y", "the same as y, also in the list")
                }
                Field("Ctrl-W, Ctrl-U", "delete a word, or all")
                Field("Ctrl-R", "sync the users")
                Field("Ctrl-Z", "suspend; `fg` resumes")
                Field(
                    "Esc",
                    purpose == .choosing
                        ? "clear the search, then leave" : "clear the search, then the marks, then leave")
                Field("Ctrl-C", "leave")
            }
        }
    }
}
