/// A setting that cannot be used. The message names the setting and says which values work.
package struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and how to fix it.
    package let message: String

    /// A failure with this message.
    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
