import RecorderHTTP

/// What a device needs to get keys from AWS IoT, as the user gave it. Nothing is checked until the values are used.
package struct IoTSettings: Sendable {
    /// A value and the name of its setting, for error messages.
    struct Setting: Sendable {
        let value: String
        let name: String

        /// Whether messages may show the value: not if it may contain a PIN.
        var mayBeShown: Bool { !ClientCertificate.mayContainPIN(value) }

        /// The value for messages, on one line.
        func shown(limit: Int = 256) -> String {
            mayBeShown ? value.sanitized(limit: limit) : "(not shown, because it may contain a PIN)"
        }
    }

    let endpoint: Setting
    let roleAlias: Setting
    let thingName: Setting?
    let certificate: Setting
    let privateKey: Setting
    let certificateAuthorities: String?

    /// The account of the keys; nil if it is not known.
    let accountID: String?

    /// The settings of a program; errors call them by these names.
    package init(
        endpoint: String,
        roleAlias: String,
        thingName: String?,
        certificate: String,
        privateKey: String,
        certificateAuthorities: String?
    ) {
        self.endpoint = Setting(value: endpoint, name: "endpoint")
        self.roleAlias = Setting(value: roleAlias, name: "roleAlias")
        self.thingName = thingName.map { Setting(value: $0, name: "thingName") }
        self.certificate = Setting(value: certificate, name: "certificate")
        self.privateKey = Setting(value: privateKey, name: "privateKey")
        self.certificateAuthorities = certificateAuthorities
        accountID = nil
    }

    /// The variables, which are those of AWS's own samples for devices. A profile has the same names in lower case, without
    /// `AWS_`.
    private static let variables = (
        endpoint: "AWS_IOT_CORE_CREDENTIAL_ENDPOINT", roleAlias: "AWS_IOT_CORE_ROLE_ALIAS",
        thingName: "AWS_IOT_CORE_THING_NAME", certificate: "AWS_IOT_CORE_CERT", privateKey: "AWS_IOT_CORE_PRIVATE_KEY"
    )

    /// The settings in environment variables; nil if there is neither an endpoint nor a role alias. Programs that only send
    /// messages by MQTT use the other variables, too.
    static func read(from context: CredentialsContext) throws(CredentialsFailure) -> IoTSettings? {
        let names = [variables.endpoint, variables.roleAlias]
        guard names.contains(where: { context.variable($0) != nil }) else { return nil }
        return try read(accountID: context.variable("AWS_ACCOUNT_ID")) { name in
            context.variable(name).map { Setting(value: $0, name: name) }
        }
    }

    /// The settings of a profile; nil if it has none.
    static func read(from profile: Profile) throws(CredentialsFailure) -> IoTSettings? {
        try read(accountID: profile["aws_account_id"]) { variable in
            let name = variable.dropFirst("AWS_".count).lowercased()
            return profile[name].map { Setting(value: $0, name: "\(name) of the \(profile.location)") }
        }
    }

    /// Throws if only some of them are set. A thing's name alone does not count: other programs use it, too.
    private static func read(
        accountID: String?,
        _ find: (String) -> Setting?
    ) throws(CredentialsFailure) -> IoTSettings? {
        let names = [variables.endpoint, variables.roleAlias, variables.certificate, variables.privateKey]
        let found = names.map(find)
        guard let first = found.compactMap(\.self).first else { return nil }
        guard let endpoint = found[0], let roleAlias = found[1], let certificate = found[2], let privateKey = found[3]
        else {
            let missing = zip(names, found).filter { $0.1 == nil }.map { first.spelling(of: $0.0) }
            throw CredentialsFailure(
                "\(first.name) is set without \(missing.joined(separator: " and ")): a device needs the endpoint of AWS "
                    + "IoT's credentials provider, a role alias, a certificate and its private key."
            )
        }
        return IoTSettings(
            endpoint: endpoint,
            roleAlias: roleAlias,
            thingName: find(variables.thingName),
            certificate: certificate,
            privateKey: privateKey,
            accountID: accountID
        )
    }

    private init(
        endpoint: Setting,
        roleAlias: Setting,
        thingName: Setting?,
        certificate: Setting,
        privateKey: Setting,
        accountID: String?
    ) {
        self.endpoint = endpoint
        self.roleAlias = roleAlias
        self.thingName = thingName
        self.certificate = certificate
        self.privateKey = privateKey
        certificateAuthorities = nil
        self.accountID = accountID
    }
}

extension IoTSettings.Setting {
    /// Another setting's name in the notation of this one.
    fileprivate func spelling(of variable: String) -> String {
        name.hasPrefix("AWS_") ? variable : variable.dropFirst("AWS_".count).lowercased()
    }
}

/// A certificate or a key may be a PKCS#11 URI, which can contain a PIN.
extension IoTSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "IoTSettings(redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: what the values must be

extension IoTSettings {
    /// The host of the credentials provider.
    func checkedEndpoint() throws(CredentialsFailure) -> Endpoint {
        // The error about an address that cannot be read shows it.
        guard endpoint.mayBeShown else { throw wrong(endpoint, "give the host alone, as in \(Self.example).") }
        let text = endpoint.value.firstRange(of: "://") == nil ? "https://\(endpoint.value)" : endpoint.value
        let found = try CredentialsFailure.translating(origin: "\(endpoint.name): ", try Endpoint(url: text))
        let host = found.hostName
        guard found.isEncrypted, found.path == "/" else {
            throw wrong(endpoint, "give the host alone, as in \(Self.example); it is called over https.")
        }
        // Every account has an endpoint for data and one for credentials, with different first labels.
        guard !host.contains(".amazonaws.") || host.contains(".credentials.iot") else {
            throw wrong(
                endpoint,
                "that host does not give credentials. Use the one that aws iot describe-endpoint --endpoint-type "
                    + "iot:CredentialProvider prints, as in \(Self.example)."
            )
        }
        return found
    }

    private static let example = "c1example.credentials.iot.eu-west-1.amazonaws.com"

    /// The role alias, which is a part of the request's path.
    func checkedRoleAlias() throws(CredentialsFailure) -> String {
        guard Self.isName(roleAlias.value, with: "_=,@-") else {
            throw wrong(
                roleAlias,
                "a role alias is 1 to 128 of ASCII letters, digits and _ = , @ - (its name, not its ARN)."
            )
        }
        return roleAlias.value
    }

    /// The thing's name, which is sent in a header; nil if there is none.
    func checkedThingName() throws(CredentialsFailure) -> String? {
        guard let thingName, !thingName.value.isEmpty else { return nil }
        guard Self.isName(thingName.value, with: ":_-") else {
            throw wrong(thingName, "a thing's name is 1 to 128 of ASCII letters, digits and : _ -")
        }
        return thingName.value
    }

    private static func isName(_ text: String, with others: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                Endpoint.isLetterOrDigit($0) || others.unicodeScalars.contains($0)
            }
    }

    private func wrong(_ setting: Setting, _ reason: String) -> CredentialsFailure {
        CredentialsFailure("\(setting.name) is \"\(setting.shown(limit: 200))\": \(reason)")
    }
}
