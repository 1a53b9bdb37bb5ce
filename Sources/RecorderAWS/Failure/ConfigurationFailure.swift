/// A setting that cannot be used; the message names it and says what would do.
package struct ConfigurationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and how to mend it.
    package let message: String

    /// A failure with this message.
    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}
