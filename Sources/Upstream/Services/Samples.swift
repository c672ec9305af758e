import Model

extension NewFact {
    package static let samples = Fact.sampleTexts.map(NewFact.init(text:))
}
