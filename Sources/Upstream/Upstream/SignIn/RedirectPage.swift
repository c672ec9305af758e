/// What the browser shows at the end of a sign-in: plain, the same for everybody, and without anything of the
/// request.
struct RedirectPage: Sendable {
    let title: String
    let text: String

    static let received = RedirectPage(
        title: "Back to the terminal",
        text: "userd has received the sign-in, and the terminal says whether it succeeded. "
            + "You can close this window.")
    static let refused = RedirectPage(
        title: "Not signed in",
        text: "The provider refused the sign-in, and the terminal says why. You can close this window.")
    static let unexpected = RedirectPage(
        title: "Not expected",
        text:
            "userd does not expect this request. If you are signing in, go on in the window of your provider."
    )

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>userd: \(title)</title></head>
        <body><h1>\(title)</h1><p>\(text)</p></body></html>

        """
    }

    /// Keeps the address, which has the code, from caches and other sites.
    static let headers = [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"), ("Connection", "close"),
    ]
}
