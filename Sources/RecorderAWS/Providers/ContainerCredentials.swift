import RecorderHTTP

/// Keys from the agent of a container service, had anew before they end: ECS, EKS pod identities, Greengrass.
///
/// Where the agent is, `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` says, or else `AWS_CONTAINER_CREDENTIALS_FULL_URI`; what
/// to show it, the file that `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` names, or else `AWS_CONTAINER_AUTHORIZATION_TOKEN`.
/// Only a host that is this machine or an agent is asked in the clear, no proxy is used, and no redirect followed. As in
/// AWS's own SDKs, that is a loopback address or one of the agents' documented ones, in the form in which it is connected
/// to. Of names only `localhost` is trusted, which libcurl gives a loopback address without asking a resolver.
package struct ContainerCredentials: CachedCredentialsSource {
    let cache: CredentialsCache

    /// A source for the agent that the context's variables name.
    package init(in context: CredentialsContext) {
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            let (url, variable) = try Self.address(in: context)
            let request = MetadataRequest(url: url, headers: try Self.authorization(in: context), origin: variable)
            let response = try await Self.answer(to: request, context)
            return try CredentialsDocument.credentials(in: response, from: variable, now: context.now())
        }
    }

    /// Asks up to three times, since an agent may start later than the program.
    private static func answer(
        to request: MetadataRequest,
        _ context: CredentialsContext
    ) async throws(CredentialsFailure) -> HTTPResponse {
        var tries = 0
        while true {
            do throws(MetadataRequest.Failure) {
                return try await request.send(by: context.transport)
            } catch {
                tries += 1
                guard error.mayPass, tries < 3 else { throw error.cause }
            }
            do {
                try await context.pause(.milliseconds(100 << tries))
            } catch {
                throw CredentialsFailure("Waiting for credentials was cancelled.", kind: .cancelled)
            }
        }
    }

    private static func address(
        in context: CredentialsContext
    ) throws(CredentialsFailure) -> (url: String, variable: String) {
        let (relative, full) = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")
        if let path = context.variable(relative) {
            return (try checked("http://169.254.170.2" + (path.hasPrefix("/") ? path : "/" + path), relative), relative)
        }
        if let url = context.variable(full) { return (try checked(url, full), full) }
        throw CredentialsFailure("\(relative) and \(full) are not set.", kind: .notConfigured)
    }

    /// An address that the token may be shown to.
    private static func checked(_ url: String, _ variable: String) throws(CredentialsFailure) -> String {
        let address = url.prefix { $0 != "?" }
        let query = url[address.endIndex...]
        let endpoint = try CredentialsFailure.translating("\(variable): ") { () throws(ConfigurationFailure) in
            try Endpoint(url: String(address))
        }
        guard query.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw CredentialsFailure("\(variable): the query of this address is not plain ASCII.")
        }
        guard endpoint.isEncrypted || isTrusted(endpoint.hostName) else {
            throw CredentialsFailure(
                "\(variable): \(Legible.text(endpoint.hostName, limit: 256)) is not asked for keys over http. Give an https "
                    + "address, or one of localhost, 127.0.0.0/8, [::1], 169.254.170.2, 169.254.170.23, [fd00:ec2::23]."
            )
        }
        return endpoint.url + query
    }

    /// Whether a host can only be this machine or a container agent.
    private static func isTrusted(_ host: String) -> Bool {
        let agents = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]
        return host == "localhost" || host == "::1" || HostName.isLoopback4(host) || agents.contains(host)
    }

    private static func authorization(in context: CredentialsContext) throws(CredentialsFailure) -> [HTTPHeader] {
        let variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
        if let file = context.variable("\(variable)_FILE") {
            return try CredentialsFailure.translating("\(variable)_FILE: ") { () throws(ConfigurationFailure) in
                [HTTPHeader("Authorization", try SmallFile.token(in: file))]
            }
        }
        guard let token = context.variable(variable) else { return [] }
        guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CredentialsFailure("\(variable) is not one line of ASCII.")
        }
        return [HTTPHeader("Authorization", token)]
    }
}
