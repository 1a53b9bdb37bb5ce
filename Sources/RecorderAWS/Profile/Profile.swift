/// The settings under one name in the shared configuration files.
///
/// They may be secrets, so neither description nor mirror shows them.
package struct Profile: Sendable {
    /// The name, such as `default`.
    package let name: String

    private var files: [String] = []
    private var settings: [String: String] = [:]

    init(name: String) {
        self.name = name
    }

    /// The setting with this name, in lower case; nil if it is missing or empty.
    package subscript(setting: String) -> String? {
        settings[setting].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Where to find the profile, for messages.
    package var place: String {
        let files = files.map { Legible.text($0, limit: 256) }.joined(separator: " and ")
        return "profile \"\(Legible.text(name, limit: 128))\" in \(files)"
    }

    /// Takes over settings from a file, in place of those of the same name.
    mutating func merge(_ values: [String: ConfigurationFile.Value], from file: String) {
        settings.merge(values.mapValues(\.text)) { _, later in later }
        if files.last != file { files.append(file) }
    }
}

extension Profile: CustomStringConvertible, CustomReflectable {
    package var description: String { "Profile(\(name), redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
