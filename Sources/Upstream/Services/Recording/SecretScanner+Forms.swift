extension SecretScanner {
    // MARK: What needs no name

    /// Tokens that begin as those of their issuers do, and private keys (RFC 7468).
    func knownForm(at start: Int) -> Edit? {
        guard start < bytes.count, Self.begins[Int(bytes[start])] else { return nil }
        let rest = bytes[start...]
        if rest.starts(with: "-----BEGIN ".utf8) { return privateKey(from: start) }
        guard Self.prefixes.contains(where: { rest.starts(with: $0) }) else { return nil }
        var end = start
        while end < bytes.count, end - start < 16_384, Self.isWordPart[Int(bytes[end])] { end += 1 }
        return isRandom(bytes[start..<end], atLeast: 20) ? Edit(start..<end, isCredential: true) : nil
    }

    /// `eyJ` is base64 of what a JSON Web Token begins with (RFC 7519).
    private static let prefixes = [
        "eyJ", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "sk_test_", "rk_live_",
        "xoxb-", "xoxp-",
        "AKIA", "ASIA", "AIza", "ya29.", "npm_", "hf_", "hvs.", "pypi-", "SG.",
    ].map { Array($0.utf8) }
    private static let begins: [Bool] = (0...255).map { byte in
        byte == UInt8(ascii: "-") || prefixes.contains { $0[0] == byte }
    }

    /// To its end, or as far as the text has of it.
    private func privateKey(from start: Int) -> Edit? {
        let line = end(from: start, limit: 64, where: \.endsLine)
        guard name(in: start..<line).suffix(16).elementsEqual("PRIVATE KEY-----".utf8) else { return nil }
        let end = end(from: line) {
            $0.value == UInt8(ascii: "\"") || bytes[$0.start...].starts(with: "-----".utf8)
        }
        return Edit(line..<end)
    }
}
