/// A name in the letters a to z, for an email address; other characters are dropped.
func asciiLetters(of text: String) -> String {
    var letters = ""
    for character in text.lowercased() {
        if character.isASCII {
            if character.isLetter { letters.append(character) }
        } else if let known = transliterations[character] {
            letters += known
        }
    }
    return letters
}

private let transliterations: [Character: String] = {
    let pairs = latin + cyrillic + persian
    return Dictionary(
        pairs.split(separator: " ").compactMap { pair in
            pair.first.map { ($0, String(pair.dropFirst())) }
        }
    ) { first, _ in first }
}()

private let latin = """
    áa àa âa äa ãa åa āa æae çc čc ćc ðd đd ée èe êe ëe ēe ğg íi ìi îi ïi īi ıi łl ñn óo òo ôo öo õo øo ōo œoe \
    řr šs śs şs ßss úu ùu ûu üu ūu ýy ÿy žz źz żz\u{20}
    """

private let cyrillic = """
    аa бb вv гg ґg дd ђdj еe єye жzh зz иi іi їyi йi јj кk лl љlj мm нn њnj оo пp рr сs тt ћc уu фf хh цts чch \
    џdz шsh щshch юyu яya\u{20}
    """

private let persian = """
    آa اa بb پp تt ثs جj چch حh خkh دd ذz رr زz ژzh سs شsh صs ضz طt ظz عa غgh فf قgh کk گg لl مm نn وv هh یy
    """
