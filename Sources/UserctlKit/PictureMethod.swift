import ArgumentParser
import TerminalViews

/// How the terminal of that environment is given pictures; nil where there is no way.
///
/// Colours are left out where NO_COLOR says so, but a picture of the terminal's own is no coloured text.
package func pictureMethod(_ environment: Environment) -> PictureDrawing.Method? {
    func says(_ name: String, _ values: String...) -> Bool { values.contains(environment[name] ?? "") }
    func has(_ name: String) -> Bool { environment.value(name) != nil }

    let terminal = environment["TERM"] ?? ""
    // What multiplexes terminals keeps pictures from them, or loses their place.
    let isMultiplexed =
        has("TMUX") || has("STY") || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux")
    if !isMultiplexed {
        if has("KITTY_WINDOW_ID") || ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || says("TERM_PROGRAM", "ghostty") || (Int(environment["KONSOLE_VERSION"] ?? "") ?? 0) >= 220_400
        {
            return .kitty
        }
        // LC_TERMINAL comes with ssh, too.
        if says("TERM_PROGRAM", "iTerm.app", "WezTerm", "mintty") || says("LC_TERMINAL", "iTerm2")
            || terminal == "wezterm"
        {
            return .iterm2
        }
    }
    return allowsColour(environment) ? .blocks(colourDepth(environment)) : nil
}

private func colourDepth(_ environment: Environment) -> PictureDrawing.ColourDepth {
    ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") ? .all : .palette
}

/// How pictures are drawn, where the terminal is not to decide by itself.
struct DrawOption: ParsableArguments {
    enum Way: String, ExpressibleByArgument, CaseIterable {
        case auto, kitty, iterm2, blocks, none
    }

    @Option(
        help: "How to draw pictures: by the protocol of kitty or of iTerm2, or as coloured blocks.")
    var draw = Way.auto
}

extension DrawOption.Way {
    /// Nil where none is to be drawn.
    func drawing(_ console: Console) -> PictureDrawing? {
        guard console.output.width != nil else { return nil }
        let method: PictureDrawing.Method? =
            switch self {
            case .auto: console.output.pictures?.method
            case .kitty: .kitty
            case .iterm2: .iterm2
            case .blocks: .blocks(colourDepth(console.environment))
            case .none: nil
            }
        guard let method else { return nil }
        var drawing = console.output.pictures ?? PictureDrawing(method)
        drawing.method = method
        return drawing
    }
}
