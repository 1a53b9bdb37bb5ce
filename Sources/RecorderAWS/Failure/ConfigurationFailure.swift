/// A setting that cannot be used. The message names the setting and says which values work.
package struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and how to fix it.
    package let message: String

    /// Whether the setting may be right, and could not be read for now, as where no descriptor is left.
    package let isTemporary: Bool

    /// A failure with this message.
    package init(_ message: String, isTemporary: Bool = false) {
        self.message = message
        self.isTemporary = isTemporary
    }

    package var description: String { message }
}
