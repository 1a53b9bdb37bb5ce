/// Which requests and answers of a client are logged, at the level `debug`.
///
/// A line has the method, URL, headers and size of the body. It never shows keys, tokens, signatures or the bytes of
/// records: the values of `Authorization`, `X-Amz-Security-Token` and cookies are redacted, and the modes with a body
/// log only its outline, such as `{"Records":[3 × {"Data":text(16),"PartitionKey":text(5)}],"StreamName":text(6)}`.
public enum ClientLogMode: Sendable {
    /// Nothing.
    case none
    /// Requests.
    case request
    /// Requests, with outlines of their bodies.
    case requestWithBody
    /// Answers.
    case response
    /// Answers, with outlines of their bodies.
    case responseWithBody
    /// Requests and answers.
    case requestAndResponse
    /// Requests and answers, with outlines of their bodies.
    case requestAndResponseWithBody
    /// Requests, without the `Authorization` header.
    case requestWithoutAuthorizationHeader
}

extension ClientLogMode {
    var showsRequests: Bool {
        switch self {
        case .request, .requestWithBody, .requestAndResponse, .requestAndResponseWithBody,
            .requestWithoutAuthorizationHeader:
            true
        case .none, .response, .responseWithBody: false
        }
    }

    var showsResponses: Bool {
        switch self {
        case .response, .responseWithBody, .requestAndResponse, .requestAndResponseWithBody: true
        case .none, .request, .requestWithBody, .requestWithoutAuthorizationHeader: false
        }
    }

    var showsBodies: Bool {
        switch self {
        case .requestWithBody, .responseWithBody, .requestAndResponseWithBody: true
        case .none, .request, .response, .requestAndResponse, .requestWithoutAuthorizationHeader: false
        }
    }
}
