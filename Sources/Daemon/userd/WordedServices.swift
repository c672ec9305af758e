import DaemonMethods
import Model
import Services

// The services with the advice of their failures in words.

extension UsersService {
    var worded: UsersService {
        var service = self
        service.fetchPage = { page, known in try await wordingAdvice { try await fetchPage(page, known) } }
        return service
    }
}

extension FactsService {
    var worded: FactsService {
        var service = self
        service.fetchPage = { page, known in try await wordingAdvice { try await fetchPage(page, known) } }
        service.fetchOne = { try await wordingAdvice(fetchOne) }
        return service
    }
}

extension PicturesService {
    var worded: PicturesService {
        PicturesService { url, known in try await wordingAdvice { try await fetch(url, known) } }
    }
}

func wordingAdvice<Value>(_ ask: () async throws -> Value) async throws -> Value {
    do { return try await ask() } catch let error as UpstreamError {
        throw error.worded(\.words)
    }
}
