import TerminalViews

/// The method by which the environment's terminal draws pictures; nil if it can't.
///
/// NO_COLOR rules out coloured blocks, but not the graphics protocols.
func pictureMethod(_ environment: Environment) -> PictureDrawing.Method? {
    func says(_ name: String, _ values: String...) -> Bool { values.contains(environment[name] ?? "") }
    func has(_ name: String) -> Bool { environment.value(name) != nil }

    let terminal = environment["TERM"] ?? ""
    // Terminal multiplexers drop pictures, or draw them in the wrong place.
    let isMultiplexed =
        has("TMUX") || has("STY") || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux")
    if !isMultiplexed {
        if has("KITTY_WINDOW_ID") || ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || says("TERM_PROGRAM", "ghostty") || (Int(environment["KONSOLE_VERSION"] ?? "") ?? 0) >= 220_400
        {
            return .kitty
        }
        // ssh forwards LC_TERMINAL.
        if says("TERM_PROGRAM", "iTerm.app", "WezTerm", "mintty") || says("LC_TERMINAL", "iTerm2")
            || terminal == "wezterm"
        {
            return .iterm2
        }
    }
    return allowsColour(environment) ? .blocks(colourDepth(environment)) : nil
}

func colourDepth(_ environment: Environment) -> PictureDrawing.ColourDepth {
    ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") ? .all : .palette
}
