import Foundation
import Glibc
import RecorderTestSupport

/// A running `StoreChild`, or another program that runs one. It never outlives this test process.
struct Child: Sendable {
    /// How a process ended, or that it stopped itself.
    enum End: Hashable, Sendable {
        case exit(Int32)
        case signal(Int32)
        case stop

        init(_ status: Int32) {
            let signal = status & 0x7f
            self = signal == 0 ? .exit((status >> 8) & 0xff) : signal == 0x7f ? .stop : .signal(signal)
        }
    }

    let id: pid_t
    private let input: InputEnd

    /// The executable in the directory of the test bundle.
    static let path = "\(BuiltProgram.directory)/StoreChild"

    /// Starts `prefix` (for example strace and its options) followed by the child, or another program, and its arguments.
    init(under prefix: [String] = [], program: String = path, _ arguments: String...) throws {
        try self.init(under: prefix, program: program, arguments: arguments)
    }

    /// The same for a list of arguments.
    init(under prefix: [String] = [], program: String = path, arguments: [String]) throws {
        let words = prefix + [program] + arguments
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        defer { close(ends[0]) }
        // A child that held the write end of another one's input would keep it from ending.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = InputEnd(ends[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        // The child must not keep files open that other tests have open at this moment.
        for file in STDERR_FILENO + 1..<4_096 { posix_spawn_file_actions_addclose(&actions, file) }
        var argv = words.map { strdup($0) } + [nil]
        defer { for word in argv { free(word) } }
        var id: pid_t = 0
        let code = posix_spawnp(&id, words[0], &actions, nil, &argv, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
    }

    func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Asks it to end, once it handles that.
    func terminate() { StopSignals.send(SIGTERM, to: id) }

    /// Continues it after it stopped itself.
    func resume() { _ = Glibc.kill(id, SIGCONT) }

    /// Waits for the end.
    func end() async -> End { await next(0) }

    /// Waits until it stops itself, or for its end.
    func stop() async -> End { await next(WUNTRACED) }

    /// Waits on a separate thread. Cancelling the wait, as a test's time limit does, kills the child.
    private func next(_ options: Int32) async -> End {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var status: Int32 = 0
                    while waitpid(id, &status, options) < 0, errno == EINTR {}
                    continuation.resume(returning: End(status))
                }
            }
        } onCancel: {
            kill()
        }
    }

    /// The write end of the child's standard input; the child exits when it closes.
    private final class InputEnd: Sendable {
        private let file: Int32
        init(_ file: Int32) { self.file = file }
        deinit { close(file) }
    }
}

/// The contents of a journal, see `StoreChild.Journal`.
struct JournalReading {
    var acknowledged: [String] = []
    var failures: [String] = []
    var notes: [String] = []

    init(_ path: String) {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            switch line.first {
            case "+": acknowledged.append(String(line.dropFirst()))
            case "-": failures.append(String(line.dropFirst()))
            default: notes.append(String(line.dropFirst()))
            }
        }
    }
}
