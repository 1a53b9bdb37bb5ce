import RecorderTestSupport

/// The metadata service of an instance with one role. Each of the steps `PUT`, `ROLE` and `KEYS` can have another reply.
struct InstanceServer {
    let server: LocalServer

    init(_ replies: [String: Reply] = [:]) throws {
        server = try LocalServer { request, _ in
            replies[Self.step(request)] ?? Self.reply(to: request)
        }
    }

    static func reply(to request: ReceivedRequest) -> Reply {
        switch step(request) {
        case "PUT": .html(200, "token-canary")
        case "ROLE": .html(200, "my-role")
        default: .json(200, KeysJSON.text(more: #","Code":"Success","LastUpdated":"2026-01-01T00:00:00Z""#))
        }
    }

    private static func step(_ request: ReceivedRequest) -> String {
        request.method == "PUT" ? "PUT" : request.path.hasSuffix("/") ? "ROLE" : "KEYS"
    }
}
