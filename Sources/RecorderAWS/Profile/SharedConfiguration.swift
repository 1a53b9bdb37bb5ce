import Foundation

/// The two files that AWS tools share: `~/.aws/config` and `~/.aws/credentials`, as they are now.
///
/// `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE` name others. A file that is not there is an empty one; without
/// `HOME` there are none by default. Where both have a setting of a profile, that of the credentials file counts.
package struct SharedConfiguration: Sendable {
    private var profiles: [String: Profile] = [:]
    private var services: [String: [String: [String: String]]] = [:]
    private let paths: [String]
    private let wanted: String?

    /// The largest file that is read, in bytes.
    private static let limit = 1 << 20

    /// Reads the files that these variables name.
    package init(_ environment: [String: String]) throws(ConfigurationFailure) {
        let config = Self.path("AWS_CONFIG_FILE", else: ".aws/config", environment)
        let credentials = Self.path("AWS_SHARED_CREDENTIALS_FILE", else: ".aws/credentials", environment)
        paths = [config, credentials].compactMap(\.self)
        wanted = environment["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        if let config { try addConfig(config) }
        if let credentials { try addCredentials(credentials) }
    }

    /// The profile in use: the one that `AWS_PROFILE` names, which must be there, else `default`, which may be.
    package func profileInUse() throws(ConfigurationFailure) -> Profile? {
        guard let wanted else { return profiles["default"] }
        do throws(ConfigurationFailure) {
            return try profile(wanted)
        } catch {
            throw ConfigurationFailure("AWS_PROFILE: \(error.message)")
        }
    }

    /// The profile with this name; an error lists those there are.
    package func profile(_ name: String) throws(ConfigurationFailure) -> Profile {
        if let profile = profiles[name] { return profile }
        let names = profiles.keys.sorted().map { Legible.text($0, limit: 64) }.joined(separator: ", ")
        throw ConfigurationFailure(
            "There is no profile \"\(Legible.text(name, limit: 128))\" in \(places). "
                + (names.isEmpty ? "There are no profiles at all." : "There are: \(Legible.text(names)).")
        )
    }

    /// A setting of one service in the `services` section that a profile names.
    func setting(_ name: String, of service: String, for profile: Profile) throws(ConfigurationFailure) -> String? {
        guard let section = profile["services"] else { return nil }
        guard let services = services[section] else {
            throw ConfigurationFailure(
                "\(profile.place): services names \"\(Legible.text(section, limit: 128))\", but there is no such "
                    + "section: add [services \(Legible.text(section, limit: 128))]."
            )
        }
        return services[service]?[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Where profiles were looked for, for messages.
    var places: String {
        paths.isEmpty
            ? "any file, since HOME is not set" : paths.map { Legible.text($0, limit: 256) }.joined(separator: " or ")
    }

    /// In this file all but the default profile say that they are profiles; the default one that does goes before one
    /// that doesn't.
    private mutating func addConfig(_ path: String) throws(ConfigurationFailure) {
        let sections = try Self.sections(of: path)
        let hasFullDefault = sections.contains { $0.words == ["profile", "default"] }
        for section in sections {
            switch (section.words.first, section.words.dropFirst().first, section.words.count) {
            case ("profile", let name?, 2): add(name, section, path)
            case ("services", let name?, 2): services[name] = section.values.mapValues(\.nested)
            case ("default", nil, 1) where !hasFullDefault: add("default", section, path)
            // Sections of other tools.
            default: break
            }
        }
    }

    /// In this file each section is a profile.
    private mutating func addCredentials(_ path: String) throws(ConfigurationFailure) {
        for section in try Self.sections(of: path) where section.words.first != "profile" {
            add(section.words.joined(separator: " "), section, path)
        }
    }

    private mutating func add(_ name: String, _ section: ConfigurationFile.Section, _ path: String) {
        profiles[name, default: Profile(name: name)].merge(section.values, from: path)
    }

    private static func path(_ variable: String, else standard: String, _ environment: [String: String]) -> String? {
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
