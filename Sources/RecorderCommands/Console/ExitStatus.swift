import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderStore

/// The exit status of the program. The numbers are those of sysexits(3), where it has one.
struct ExitStatus: RawRepresentable, Sendable, Hashable {
    let rawValue: Int32

    static let success = ExitStatus(rawValue: 0)
    static let missingRecords = ExitStatus(rawValue: 1)
    static let damage = ExitStatus(rawValue: 1)
    static let usage = ExitStatus(rawValue: 64)
    static let refusedRecords = ExitStatus(rawValue: 65)
    static let noInput = ExitStatus(rawValue: 66)
    static let notFound = ExitStatus(rawValue: 69)
    static let internalError = ExitStatus(rawValue: 70)
    static let storage = ExitStatus(rawValue: 74)
    static let tryLater = ExitStatus(rawValue: 75)
    static let denied = ExitStatus(rawValue: 77)
    static let configuration = ExitStatus(rawValue: 78)

    static func signal(_ number: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + number) }

    /// For the help text and the man page.
    static let meanings: [(number: String, meaning: String)] = [
        ("0", "success"),
        ("1", "audit: records are missing, and nothing explains it, or were not judged; verify: a store is damaged"),
        ("64", "the command line is wrong"),
        ("65", "some records were refused, such as lines that are too long; the others are saved"),
        (
            "66",
            "the input cannot be read to its end; the lines before that point are saved; audit, doctor: a file cannot be used; export, peek: nothing is stored for a stream"
        ),
        ("69", "the stream does not exist, or the service refuses the request; the records are kept"),
        (
            "70",
            "an internal error, as the message says: the store is not replaced and its records are kept; what the command reports as done is done"
        ),
        ("74", "the store cannot be used (directory, disk or file), or standard output cannot be written"),
        (
            "75",
            "the service cannot be reached or is busy, or a file of settings cannot be read for now; the records are kept, try again later"
        ),
        ("77", "access is denied; the records are kept"),
        ("78", "a setting is missing or wrong: region, endpoint, credentials, proxy"),
        (
            "128+N",
            "stopped by signal N before the work was done; saved records are kept; 141: the reader of the output closed the pipe"
        ),
    ]
}

/// Ends a command early, with a message and an exit status.
struct CommandFailure: Error, Sendable {
    let status: ExitStatus
    let message: String
    /// Lines of help below the message.
    let hint: String?

    init(_ status: ExitStatus, message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    init(_ error: RecorderError) {
        self.init(ExitStatus(error), message: error.sentence)
    }

    /// Starts a thread, without which the command does not begin.
    static func startThread(
        named name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(CommandFailure) {
        do throws(ThreadShortage) {
            try RecorderConcurrency.startThread(named: name, body)
        } catch {
            throw CommandFailure(.noThread(error))
        }
    }

    /// Does the blocking work of the command on a thread of its own.
    static func onNewThread<T: Sendable>(
        named name: String,
        _ work: @escaping @Sendable () -> T
    ) async throws(CommandFailure) -> T {
        do throws(ThreadShortage) {
            return try await RecorderConcurrency.onNewThread(named: name, work)
        } catch {
            throw CommandFailure(.noThread(error))
        }
    }

    /// The value of `expression`. An error of the engine becomes the failure of the command.
    static func wrapping<T>(_ expression: @autoclosure () throws(RecorderError) -> T) throws(CommandFailure) -> T {
        do {
            return try expression()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension RecorderError {
    /// The message as a sentence. Services leave out the full stop, and the library cannot know the option of this program, which
    /// is stronger than the variable.
    var sentence: String {
        let text = message.replacing("et AWS_KINESIS_RECORDER_DIR ", with: "et --directory ")
        return text.last.map { ".?!".contains($0) } ?? true ? text : "\(text)."
    }
}

extension ExitStatus {
    init(_ error: RecorderError) {
        self =
            switch error {
            case .invalidRecord: .usage
            case .storage where error.isInternal: .internalError
            case .storage, .storeFull: .storage
            case .configuration(let failure): ExitStatus(failure)
            case .noThread, .cancelled: .tryLater
            case .service(let failure): ExitStatus(failure)
            }
    }

    init(_ failure: ConfigurationFailure) {
        self = failure.isTemporary ? .tryLater : .configuration
    }

    init(_ failure: ServiceFailure) {
        self =
            switch failure.kind {
            // The clock was corrected: what the service still refuses is the secret key.
            case .denied, .expiredCredentials, .clockSkew: .denied
            case .credentials(let failure) where failure.isTemporary: .tryLater
            case .credentials(let failure): failure.isRefusal ? .denied : .configuration
            case .configuration(let failure): ExitStatus(failure)
            // Of a proxy: endpoints are checked before.
            case .transport(let cause) where cause.kind == .invalidURL: .configuration
            case .notFound, .invalidRequest: .notFound
            default: .tryLater
            }
    }
}
