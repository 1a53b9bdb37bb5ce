/// Which of a client's requests and answers are logged, at the level `debug`.
///
/// A line names method, address, headers and the body's size. No line ever shows a key, a token, a signature or a byte of a
/// record: `Authorization`, `X-Amz-Security-Token` and cookies are named without their values, and the modes with a body show
/// its outline, such as `{"Records":[3 × {"Data":text(16),"PartitionKey":text(5)}],"StreamName":text(6)}`.
public enum ClientLogMode: Sendable {
    /// Neither.
    case none
    /// Requests.
    case request
    /// Requests and their bodies' outlines.
    case requestWithBody
    /// Answers.
    case response
    /// Answers and their bodies' outlines.
    case responseWithBody
    /// Both.
    case requestAndResponse
    /// Both with their bodies' outlines.
    case requestAndResponseWithBody
    /// Requests, without the name of the `Authorization` header too.
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
