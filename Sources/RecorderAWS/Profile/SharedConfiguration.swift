import Glibc

/// The configuration files that AWS tools share: `~/.aws/config` and `~/.aws/credentials`. They are read once.
///
/// `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` override their paths. A missing file counts as empty; without `HOME`
/// there are no default paths. If both files have the same setting of a profile, the credentials file takes precedence.
package struct SharedConfiguration: Sendable {
    private var profiles: [String: Profile] = [:]
    private var services: [String: [String: [String: String]]] = [:]
    private var signIns: [String: [String: String]] = [:]
    private let paths: [String]
    private let wanted: (profile: String, variable: String?)?

    /// The largest file that is read, in bytes.
    private static let limit = 1 << 20

    /// Reads the files for these environment variables. `profile` is the one in use, whatever the variables say.
    package init(_ environment: [String: String], profile: String? = nil) throws(ConfigurationFailure) {
        let config = Self.path(variable: "AWS_CONFIG_FILE", default: ".aws/config", environment: environment)
        let credentials = Self.path(
            variable: "AWS_SHARED_CREDENTIALS_FILE",
            default: ".aws/credentials",
            environment: environment
        )
        paths = [config, credentials].compactMap(\.self)
        wanted = profile.map { ($0, nil) } ?? Self.profileInVariable(environment)
        if let config { try addConfig(config) }
        if let credentials { try addCredentials(credentials) }
    }

    /// The variables that name a profile, in the order of botocore.
    static let profileVariables = ["AWS_DEFAULT_PROFILE", "AWS_PROFILE"]

    private static func profileInVariable(_ environment: [String: String]) -> (profile: String, variable: String?)? {
        for variable in profileVariables {
            if let name = environment[variable], !name.isEmpty { return (name, variable) }
        }
        return nil
    }

    /// The profile in use: the one that was given, or that a variable names, which must exist, else `default`, which need not.
    package func profileInUse() throws(ConfigurationFailure) -> Profile? {
        guard let wanted else { return profiles["default"] }
        do throws(ConfigurationFailure) {
            return try profile(wanted.profile)
        } catch {
            throw wanted.variable.map { ConfigurationFailure("\($0): \(error.message)") } ?? error
        }
    }

    /// The profile with this name; the error for an unknown name lists the existing ones.
    package func profile(_ name: String) throws(ConfigurationFailure) -> Profile {
        if let profile = profiles[name] { return profile }
        let names = profiles.keys.sorted().map { $0.sanitized(limit: 64) }.joined(separator: ", ")
        throw ConfigurationFailure(
            "There is no profile \"\(name.sanitized(limit: 128))\" in \(locations). "
                + (names.isEmpty ? "There are no profiles at all." : "There are: \(names.sanitized()).")
        )
    }

    /// A setting of one service in the `services` section that a profile names.
    func setting(_ name: String, of service: String, for profile: Profile) throws(ConfigurationFailure) -> String? {
        guard let section = profile["services"] else { return nil }
        guard let services = services[section] else {
            throw ConfigurationFailure(
                "\(profile.location): services names \"\(section.sanitized(limit: 128))\", but there is no such "
                    + "section: add [services \(section.sanitized(limit: 128))]."
            )
        }
        return services[service]?[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The settings of an `sso-session` section; nil if there is none with this name.
    func signIn(_ name: String) -> [String: String]? { signIns[name] }

    /// The paths of the files, for messages.
    var locations: String {
        paths.isEmpty
            ? "any file, since HOME is not set" : paths.map { $0.sanitized(limit: 256) }.joined(separator: " or ")
    }

    /// In the config file a section is called `profile NAME`, except for `default`. If there are both `profile default` and
    /// `default`, the former takes precedence.
    private mutating func addConfig(_ path: String) throws(ConfigurationFailure) {
        let sections = try Self.sections(of: path)
        let hasFullDefault = sections.contains { $0.words == ["profile", "default"] }
        for section in sections {
            switch (section.words.first, section.words.dropFirst().first, section.words.count) {
            case ("profile", let name?, 2): add(section, as: name, from: path)
            case ("services", let name?, 2): services[name] = section.values.mapValues(\.nested)
            case ("sso-session", let name?, 2): signIns[name] = section.values.mapValues(\.text)
            case ("default", nil, 1) where !hasFullDefault: add(section, as: "default", from: path)
            // Sections of other tools.
            default: break
            }
        }
    }

    /// In the credentials file each section is a profile.
    private mutating func addCredentials(_ path: String) throws(ConfigurationFailure) {
        for section in try Self.sections(of: path) where section.words.first != "profile" {
            add(section, as: section.words.joined(separator: " "), from: path, isCredentials: true)
        }
    }

    private mutating func add(
        _ section: ConfigurationFile.Section,
        as name: String,
        from path: String,
        isCredentials: Bool = false
    ) {
        profiles[name, default: Profile(name: name)].add(section.values, from: path, isCredentials: isCredentials)
    }

    private static func path(
        variable: String,
        default standard: String,
        environment: [String: String]
    ) -> String? {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let named = environment[variable], !named.isEmpty else { return home.map { "\($0)/\(standard)" } }
        guard named.hasPrefix("~/"), let home else { return named }
        return home + named.dropFirst()
    }

    private static func sections(of path: String) throws(ConfigurationFailure) -> [ConfigurationFile.Section] {
        guard let bytes = try SmallFile.bytes(of: path, limit: limit) else { return [] }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationFailure("\(path) is not text in UTF-8.")
        }
        return try ConfigurationFile(text, path: path).sections
    }
}

extension SharedConfiguration: CustomStringConvertible, CustomReflectable {
    package var description: String { "SharedConfiguration(redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The settings under one name in the shared configuration files.
///
/// Settings may be secrets, so neither description nor mirror shows them.
package struct Profile: Sendable {
    /// The name, such as `default`.
    package let name: String

    private var files: [String] = []
    private var config: [String: String] = [:]
    private var credentials: [String: String] = [:]

    init(name: String) {
        self.name = name
    }

    /// The setting with this name, in lower case; nil if it is missing or empty. That of the credentials file takes precedence.
    package subscript(setting: String) -> String? {
        (credentials[setting] ?? config[setting]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The setting of one file. The parts of a key pair belong together only in the same file.
    func setting(_ name: String, ofCredentialsFile: Bool) -> String? {
        (ofCredentialsFile ? credentials : config)[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The profile's name and files, for messages.
    package var location: String {
        let files = files.map { $0.sanitized(limit: 256) }.joined(separator: " and ")
        return "profile \"\(name.sanitized(limit: 128))\" in \(files)"
    }

    /// Adds settings from a file; they replace those of the same name.
    mutating func add(_ values: [String: ConfigurationFile.Value], from file: String, isCredentials: Bool) {
        let texts = values.mapValues(\.text)
        if isCredentials { credentials.merge(texts) { $1 } } else { config.merge(texts) { $1 } }
        if files.last != file { files.append(file) }
    }
}

extension Profile: CustomStringConvertible, CustomReflectable {
    package var description: String { "Profile(\(name), redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
