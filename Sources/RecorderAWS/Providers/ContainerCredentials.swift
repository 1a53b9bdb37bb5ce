import RecorderHTTP

/// Keys from the agent of a container service: ECS, EKS pod identities, Greengrass.
///
/// The agent's address is in `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or else `AWS_CONTAINER_CREDENTIALS_FULL_URI`. The
/// authorization token is in the file that `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` names, or else in
/// `AWS_CONTAINER_AUTHORIZATION_TOKEN`.
///
/// As in the AWS SDKs, requests without TLS go only to a loopback address or to one of the agents' documented addresses,
/// compared in the form that is connected to. The only trusted name is `localhost`, which libcurl resolves to a loopback
/// address by itself. Proxies and redirects are never used.
package struct ContainerCredentials: CredentialsFetcher {
    private let context: CredentialsContext

    /// A fetcher for the agent that the context's variables name.
    package init(in context: CredentialsContext) {
        self.context = context
    }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        let (url, variable) = try address()
        let request = MetadataRequest(url: url, headers: try authorization(), origin: variable)
        let response = try await request.send(in: context)
        return try CredentialsDocument.credentials(in: response, from: variable, now: context.now())
    }

    private func address() throws(CredentialsFailure) -> (url: String, variable: String) {
        let (relative, full) = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")
        if let path = context.variable(relative) {
            let url = "http://169.254.170.2" + (path.hasPrefix("/") ? path : "/" + path)
            return (try Self.checked(url, origin: relative), relative)
        }
        if let url = context.variable(full) { return (try Self.checked(url, origin: full), full) }
        throw CredentialsFailure("\(relative) and \(full) are not set.", kind: .notConfigured)
    }

    /// A URL that the token may be sent to.
    private static func checked(_ url: String, origin: String) throws(CredentialsFailure) -> String {
        let address = url.prefix { $0 != "?" }
        let query = url[address.endIndex...]
        let endpoint = try CredentialsFailure.translating(
            origin: "\(origin): ",
            try Endpoint(url: String(address))
        )
        guard query.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw CredentialsFailure("\(origin): the query of this URL is not plain ASCII.")
        }
        guard endpoint.isEncrypted || isTrusted(endpoint.hostName) else {
            throw CredentialsFailure(
                "\(origin): \(endpoint.hostName.sanitized(limit: 256)) must not get the token over http. Use an https "
                    + "URL, or one of localhost, 127.0.0.0/8, [::1], 169.254.170.2, 169.254.170.23, [fd00:ec2::23]."
            )
        }
        return endpoint.url + query
    }

    /// Whether a host is certainly this machine or a container agent.
    private static func isTrusted(_ host: String) -> Bool {
        let agents = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"]
        return host == "localhost" || host == "::1" || HostName.isLoopback4(host) || agents.contains(host)
    }

    private func authorization() throws(CredentialsFailure) -> [HTTPHeader] {
        let variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
        if let file = context.variable("\(variable)_FILE") {
            let token = try CredentialsFailure.translating(
                origin: "\(variable)_FILE: ",
                try SmallFile.token(in: file)
            )
            return [HTTPHeader("Authorization", token)]
        }
        guard let token = context.variable(variable) else { return [] }
        guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw CredentialsFailure("\(variable) is not one line of ASCII.")
        }
        return [HTTPHeader("Authorization", token)]
    }
}
