/// The methods of HTTP, by the original's numbers.
public enum AWSHTTPMethod: Int, Sendable {
    /// None.
    case unknown = 0
    /// GET.
    case GET
    /// HEAD.
    case HEAD
    /// POST, which all calls use.
    case POST
    /// PUT.
    case PUT
    /// PATCH.
    case PATCH
    /// DELETE.
    case DELETE
}
