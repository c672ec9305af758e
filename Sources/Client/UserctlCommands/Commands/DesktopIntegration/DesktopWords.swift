/// All words that userctl shows in the desktop, in the language of the session.
struct DesktopWords: Hashable, Sendable {
    let name: String
    let mail: String
    let call: String
    let copy: String
    let signIn: String
    let signInTitle: String
    let signInBody: String
    let secretTitle: String
    let secretBody: String

    /// By the first letters of a locale's name.
    static let languages: KeyValuePairs<String, DesktopWords> = [
        "en": english,
        "de": DesktopWords(
            name: "Personen (userd)", mail: "E-Mail schreiben", call: "Anrufen", copy: "Adresse kopieren",
            signIn: "Anmelden", signInTitle: "Die Anmeldung ist abgelaufen",
            signInBody: "Bis Sie sich wieder anmelden, bleibt die Liste der Personen, wie sie ist.",
            secretTitle: "Das Verzeichnis lehnt den Zugang ab",
            secretBody: "Die Liste der Personen bleibt, wie sie ist. userctl doctor sagt, was zu tun ist."),
        "fr": DesktopWords(
            name: "Personnes (userd)", mail: "Écrire un e-mail", call: "Appeler", copy: "Copier l’adresse",
            signIn: "Se connecter", signInTitle: "La connexion a expiré",
            signInBody:
                "La liste des personnes reste telle quelle jusqu’à ce que vous vous connectiez à nouveau.",
            secretTitle: "L’annuaire refuse l’accès",
            secretBody: "La liste des personnes reste telle quelle. userctl doctor dit ce qu’il faut faire."),
        "es": DesktopWords(
            name: "Personas (userd)", mail: "Escribir un correo", call: "Llamar",
            copy: "Copiar la dirección", signIn: "Iniciar sesión", signInTitle: "La sesión ha caducado",
            signInBody: "La lista de personas no cambia hasta que vuelva a iniciar sesión.",
            secretTitle: "El directorio rechaza el acceso",
            secretBody: "La lista de personas no cambia. userctl doctor dice qué hay que hacer."),
        "it": DesktopWords(
            name: "Persone (userd)", mail: "Scrivi un’e-mail", call: "Chiama", copy: "Copia l’indirizzo",
            signIn: "Accedi", signInTitle: "L’accesso è scaduto",
            signInBody: "L’elenco delle persone resta com’è finché non accedi di nuovo.",
            secretTitle: "La directory rifiuta l’accesso",
            secretBody: "L’elenco delle persone resta com’è. userctl doctor dice che cosa fare."),
        "pt": DesktopWords(
            name: "Pessoas (userd)", mail: "Escrever um e-mail", call: "Ligar", copy: "Copiar o endereço",
            signIn: "Iniciar sessão", signInTitle: "A sessão expirou",
            signInBody: "A lista de pessoas fica como está até iniciar sessão novamente.",
            secretTitle: "O diretório recusa o acesso",
            secretBody: "A lista de pessoas fica como está. userctl doctor diz o que fazer."),
        "ja": DesktopWords(
            name: "ユーザー (userd)", mail: "メールを書く", call: "電話をかける", copy: "アドレスをコピー",
            signIn: "サインイン", signInTitle: "サインインの有効期限が切れました",
            signInBody: "もう一度サインインするまで、ユーザーの一覧は更新されません。",
            secretTitle: "ディレクトリに接続を拒否されました",
            secretBody: "ユーザーの一覧は更新されません。対処方法は userctl doctor で確認できます。"),
        "zh": DesktopWords(
            name: "人员 (userd)", mail: "写邮件", call: "拨打电话", copy: "复制地址", signIn: "登录",
            signInTitle: "登录已过期", signInBody: "重新登录之前，人员列表不会更新。",
            secretTitle: "目录拒绝访问",
            secretBody: "人员列表不会更新。运行 userctl doctor 可查看处理方法。"),
    ]

    private static let english = DesktopWords(
        name: "People (userd)", mail: "Write a mail", call: "Call", copy: "Copy the address",
        signIn: "Sign in", signInTitle: "Your sign-in has ended",
        signInBody: "Until you sign in again, the list of people stays as it is.",
        secretTitle: "The directory refuses access",
        secretBody: "The list of people stays as it is. userctl doctor says what to do.")

    /// The session's, by the first of the variables that is set (locale(7)); English for others.
    static func words(_ environment: Environment) -> DesktopWords {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment.value($0) }.first ?? ""
        let language = locale.prefix { $0.isLetter }.lowercased()
        return languages.first { $0.key == language }?.value ?? english
    }
}
