import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The choice of an account", .timeLimit(.hang))
struct PromptTests {
    @Test(
        "People choose their account only where the provider is known to let them, and the settings do not object",
        arguments: [
            ("", nil, nil, nil), (#"["none", "login"]"#, nil, nil, nil),
            (#"["login", "select_account"]"#, nil, nil, "select_account"),
            (#"["login", "select_account"]"#, nil, "", nil),
            ("", "https://login.microsoftonline.com/t/oauth2/v2.0/authorize", nil, "select_account"),
            ("", "https://login.partner.microsoftonline.cn/t/authorize", nil, "select_account"),
            ("", "https://login.microsoftonline.com/t/oauth2/v2.0/authorize", "", nil),
            ("", "https://login.microsoftonline.com.gitlab.example/authorize", nil, nil),
            ("", "https://accounts.google.com/o/oauth2/v2/auth", nil, "select_account"),
            ("", "https://accounts.google.com/o/oauth2/v2/auth", "consent", "consent"),
            ("", "https://gitlab.example/oauth/authorize", "login", "login"),
        ] as [(String, String?, String?, String?)])
    func prompt(listed: String, page: String?, own: String?, sent: String?) async throws {
        let provider = try OAuthServer()
        provider.contents.withLock { $0.document["prompt_values_supported"] = listed }
        try await withPerson(
            provider,
            {
                if let url = page.flatMap(URL.init(string:)) { $0.endpoints[.authorization] = url }
                if let own { $0.parameters = [("prompt", own)] }
            }
        ) { person in
            let asked = try await person.requestOfSignIn()
            #expect(asked["prompt"] == sent)
            // An empty value is sent to no endpoint.
            #expect(person.provider.requests("/token").allSatisfy { $0.fields["prompt"] != "" })
        }
    }

    @Test(
        "A refusal of the prompt says how to leave it out",
        arguments: [
            "error=invalid_request&error_description=Unsupported+Prompt+value",
            "error=account_selection_required",
        ])
    func refusedPrompt(refusal: String) async throws {
        try await withPerson { person in
            let error = try await thrown {
                try await person.userd().signIn(.browser) { prompt in
                    let redirect = person.provider.approve(prompt.address)
                    let refused = redirect.replacing(/code=[^&]*/, with: refusal)
                    Task { try await person.visit(refused) }
                }
            }
            #expect(error.failure.advice?.kind == .leaveOutPrompt, "\(error.failure.message)")
        }
    }
}
