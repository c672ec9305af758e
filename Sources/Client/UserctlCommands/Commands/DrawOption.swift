import ArgumentParser
import TerminalViews

struct DrawOption: ParsableArguments {
    enum Way: String, ExpressibleByArgument, CaseIterable {
        case auto, kitty, iterm2, blocks, none
    }

    @Option(help: "How to draw pictures: with kitty's or iTerm2's protocol, or as coloured blocks.")
    var draw = Way.auto
}

extension DrawOption.Way {
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
