/// Takes what is logged. Conform a type of your own and pass it to ``AmplifyLogging/addSink(_:)``.
public protocol LogSinkBehavior: Identifiable, Sendable {
    /// Tells this sink from others; a second one with the same id takes the place of the first.
    var id: String { get }

    /// Whether messages of this level are wanted; a message that no sink wants is never put together.
    func isEnabled(for logLevel: LogLevel) -> Bool

    /// Takes one message, of a level that is enabled. Called on whichever thread logs, several at a time; return soon.
    func emit(message: LogMessage)
}
